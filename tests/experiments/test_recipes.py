"""Recipes: those that ship are sound, and each protocol runs end to end on a small data folder."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from command import call
from holdfast import artifacts
from holdfast.corpora.named import CORPORA
from holdfast.errors import FormatError, HoldfastError, UsageError
from holdfast.evaluate.protocols import PROTOCOLS
from holdfast.experiments.lenient.run import INDEXES
from holdfast.experiments.recipe import Recipe, read_recipe, recipe_that_writes, shipped
from holdfast.experiments.results import outcome_to_json, read_results
from holdfast.experiments.run import WITH_MODEL, WITHOUT_MODEL, run_recipe
from holdfast.experiments.train import train_recipe
from holdfast.kb.open.vocabularies import OPEN, VOCABULARIES
from holdfast.kb.readers import READERS
from holdfast.kinds import KINDS
from holdfast.models import PIPELINE, WEIGHTS, find_model
from holdfast.types import TYPES
from shipped import ENCODER

PUBTATOR = (
    "1|t|Heart attack after lithium.\n1|a|A cardiac arrest followed the zibol.\n"
    "1\t0\t12\tHeart attack\tDisease\tD000001\n1\t19\t26\tlithium\tChemical\tC000001\n"
    "1\t30\t44\tcardiac arrest\tDisease\tD000002\n1\t58\t63\tzibol\tChemical\t-1\n\n"
)
TRAINING = "2|t|Coronary event.\n2|a|x\n2\t0\t14\tCoronary event\tDisease\tD000001\n\n"
TABLE = (
    "id\tname\tsynonyms\ttype\nMESH:D000001\tMyocardial infarction\theart attack\tDisease\n"
    "MESH:D000002\tCardiac arrest\t\tDisease\nMESH:C000001\tLithium\t\tChemical\n"
)
KB = '[kb]\nreader = "table"\npath = "kb/terms.tsv"\n'
LENIENT = (
    'title = "Tiny"\n[evaluate]\nprotocol = "lenient"\ncorpus = "ncbi-disease"\nsplit = "test"\n'
)
STRICT = '[evaluate]\nprotocol = "strict"\ncorpus = "bc5cdr"\nsplit = "test"\n'
NAMES = 'title = "t"\n[model]\nparts = ["name-linker"]\n'
END_TO_END = (
    'title = "t"\n[model]\nparts = ["names"]\n[evaluate]\nprotocol = "strong"\n'
    'corpus = "bc5cdr"\nsplit = "test"\nonly = ["Disease", "Chemical"]\n'
)
WITHOUT_DOCUMENTS = ("fine-tuned", "link-prediction", "pre-training")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder in the layout of the real one, with hand-written files."""
    files = {
        "corpora/bc5cdr/test.pubtator.txt": PUBTATOR,
        "corpora/bc5cdr/train.pubtator.txt": TRAINING,
        "corpora/ncbi_disease/biosyn/test.concept.tsv": (
            "doc\tspans\ttype\tmention\tids\n"
            "1\t0-3\tDisease\theart attack\tD000001\n"
            "1\t5-9\tDisease\theart attacks|cardiac arrest\tD000001|D000002\n"
            "1\t9-12\tDisease\tzibbling\tD000009\n"
        ),
        "corpora/ncbi_disease/biosyn/test_dictionary.txt": (
            "D000001||heart attack\nD000002||cardiac arrest\nD000003||heart failure\n"
        ),
        "kb/terms.tsv": TABLE,
    }
    for name, content in files.items():
        path = tmp_path / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return tmp_path / "data"


def measure(folder: Path, data: Path, text: str) -> dict[str, object]:
    path = folder / "tiny.toml"
    path.write_text(text, encoding="utf-8")
    recipe = read_recipe(path)
    return outcome_to_json(recipe, run_recipe(recipe, data=data))


def silent(_: str) -> None:
    pass


def trained(recipe: Recipe, data: Path, out: Path) -> Path:
    """What the recipe makes, fitted with the encoder that ships."""
    train_recipe(recipe, data=data, out=out, encoder=ENCODER, report=silent)
    return out


CRAFT = ("UBERON", "CL", "GO_BP", "GO_CC", "GO_MF", "NCBITaxon")  # types of its mentions


def is_known(part: str) -> bool:
    """Whether a model ships, or a recipe makes it."""
    return (WEIGHTS / part).is_dir() or part.removesuffix("-int8") in shipped()


@pytest.mark.parametrize("name", shipped())
def test_every_shipped_recipe_names_only_what_there_is(name: str) -> None:
    recipe = read_recipe(name)
    assert recipe.name == name
    assert recipe.title
    assert recipe.train or recipe.evaluate
    assert all(map(is_known, recipe.model))
    if recipe.train is not None:
        assert KINDS[recipe.train.kind].trainer
        assert not recipe.model or name in recipe.model  # what it trains is what it measures
        known = [text.split() for text in (*recipe.train.on, *recipe.train.held_out)]
        corpora = {words[0] for words in known if len(words) > 1}
        assert corpora <= CORPORA.keys()
    if recipe.kb is not None:
        sources = (recipe.kb.get, recipe.kb.reader and recipe.kb.path, recipe.kb.concepts_of)
        assert sum(map(bool, sources)) == 1
        assert not recipe.kb.get or recipe.kb.get in (*VOCABULARIES, OPEN)
        assert not recipe.kb.reader or recipe.kb.reader in READERS
    assert all(reference.figures for reference in recipe.references)


@pytest.mark.parametrize("name", [n for n in shipped() if read_recipe(n).evaluate])
def test_every_shipped_recipe_measures_what_can_be_measured(name: str) -> None:
    recipe = read_recipe(name)
    measured = recipe.measured
    assert measured.protocol in (*WITH_MODEL, *WITHOUT_MODEL)
    kinds = {m.split("-")[0] for m in recipe.model} | {"names", "ablation", "nil", "linker"}
    kinds |= {"joined", "single", "collective", "blink", "bm25", "cross", "scispacy"}
    kinds |= {"multitask", "bier", "relations", "transe", "kebiolm", "tune"}
    assert name.split("-")[0] in (measured.protocol, *kinds)
    if measured.protocol in WITHOUT_MODEL:
        assert not recipe.model
    else:
        assert bool(recipe.model or recipe.train) != bool(measured.index)
    if measured.index:
        assert (measured.protocol, measured.index in INDEXES) == ("lenient", True)
    elif measured.protocol not in (*WITHOUT_MODEL, *WITHOUT_DOCUMENTS, "lenient"):
        if measured.protocol != "disambiguation":  # its set is of several corpora
            assert measured.split in CORPORA[measured.corpus].splits
        is_of_labels = "label" in measured.protocol or measured.protocol == "low-supervision"
        assert (recipe.kb is None) == is_of_labels
    trained = recipe.train.on if recipe.train else ()
    assert f"{measured.corpus} {measured.split}" not in (*trained, *recipe.training_names)
    assert measured.split not in (*trained, *recipe.training_names)
    assert set(measured.only) <= {*TYPES, *(CRAFT if measured.corpus == "craft" else ())}
    assert set(measured.also) <= set(PROTOCOLS)
    assert measured.peer in ("", "scispacy")


@pytest.mark.parametrize(
    ("index", "accuracy"), [("verbatim", 1 / 3), ("exact", 2 / 3), ("ngram", 2 / 3)]
)
def test_a_lenient_recipe_runs(tmp_path: Path, data: Path, index: str, accuracy: float) -> None:
    result = measure(tmp_path, data, f'{LENIENT}index = "{index}"\n')
    assert (result["model"], result["index"]) == ([], index)
    assert result["accuracy_at_1"] == pytest.approx(accuracy)
    assert result["n_scored"] == 3
    assert result["dictionary_names"] == 3


def test_a_strict_recipe_runs_and_training_names_help(tmp_path: Path, data: Path) -> None:
    recipe = f'{NAMES}{STRICT}only = ["Disease"]\n{KB}'
    result = measure(tmp_path, data, recipe)
    assert (result["accuracy_at_1"], result["n_scored"]) == (1.0, 2)
    assert (result["kb_entities"], result["kb_names"]) == (3, 4)
    assert (result["model"], result["index"]) == (["name-linker"], None)
    trained = measure(tmp_path, data, recipe + 'training_names = ["train"]\n')
    assert trained["kb_names"] == 5
    assert trained["kb_digest"] != result["kb_digest"]


FITTED = (
    'title = "t"\n[train]\nkind = "name ranker"\non = ["train", "dev"]\nonly = ["Disease"]\n'
    f'names_of = ["train", "dev"]\n{STRICT}only = ["Disease"]\ncalibration = true\n{KB}'
)


def test_a_recipe_that_is_fitted_is_trained_and_then_measured(tmp_path: Path, data: Path) -> None:
    folder = data / "corpora" / "bc5cdr"
    for id, split in (("4", "train"), ("5", "dev")):
        text = f"{id}|t|Heart attacks.\n{id}|a|x\n{id}\t0\t13\tHeart attacks\tDisease\tD000001\n\n"
        (folder / f"{split}.pubtator.txt").write_text(text, encoding="utf-8")
    path = tmp_path / "fitted.toml"
    path.write_text(FITTED, encoding="utf-8")
    recipe = read_recipe(path)
    with pytest.raises(UsageError, match="holdfast train fitted"):
        run_recipe(recipe, data=data)
    with pytest.raises(UsageError, match="'fitted' needs an encoder to fit with"):
        train_recipe(recipe, data=data, out=tmp_path / "model", report=silent)
    model = trained(recipe, data, tmp_path / "model")
    result = outcome_to_json(recipe, run_recipe(recipe, data=data, model=model))
    assert (result["accuracy_at_1"], result["n_scored"]) == (1.0, 2)
    assert result["model"] == ["model"]
    assert len(str(result["model_digest"])) == 64
    assert 0 <= float(str(result["calibration_error"])) <= 1


def test_a_lenient_recipe_is_fitted_and_measured_by_the_ids_of_dictionary_lines(
    tmp_path: Path, data: Path
) -> None:
    biosyn = data / "corpora" / "ncbi_disease" / "biosyn"
    header = "doc\tspans\ttype\tmention\tids\n"
    for split, id in (("train", "4"), ("dev", "5")):
        line = f"{id}\t0-3\tDisease\tzibbling\tD000003\n"
        (biosyn / f"{split}.concept.tsv").write_text(header + line, encoding="utf-8")
        document = f"{id}|t|Heart attacks.\n{id}|a|x\n"
        document += f"{id}\t0\t13\tHeart attacks\tSpecificDisease\tD000003\n\n"
        (data / "corpora" / "ncbi_disease" / f"{split}.pubtator.txt").write_text(
            document, encoding="utf-8"
        )
    (data / "corpora" / "ncbi_disease" / "test.pubtator.txt").write_text(
        "1|t|Heart attack.\n1|a|x\n1\t0\t12\tHeart attack\tSpecificDisease\tD000001\n\n",
        encoding="utf-8",
    )
    (biosyn / "train_dictionary.txt").write_text(
        "D000001||heart attack\nD000002||cardiac arrest\nD000003|D000009||heart failure\n"
        "D000003||cardiac failure\n",
        encoding="utf-8",
    )
    path = tmp_path / "fitted.toml"
    path.write_text(
        LENIENT + '[train]\nkind = "name ranker"\non = ["train", "dev"]\n'
        'names_of = ["train", "dev"]\n',
        encoding="utf-8",
    )
    recipe = read_recipe(path)
    trained(recipe, data, tmp_path / "model")
    result = outcome_to_json(recipe, run_recipe(recipe, data=data, model=tmp_path / "model"))
    assert result["accuracy_at_1"] == pytest.approx(2 / 3)
    (biosyn / "test_dictionary.txt").write_text("D000003|D000009||zibbling\n", encoding="utf-8")
    result = outcome_to_json(recipe, run_recipe(recipe, data=data, model=tmp_path / "model"))
    assert result["accuracy_at_1"] == 1.0


def test_a_ranked_recipe_runs(tmp_path: Path, data: Path) -> None:
    result = measure(tmp_path, data, NAMES + STRICT.replace("strict", "ranked") + KB)
    assert result["accuracy_at_1"] == pytest.approx(1.0)


def test_an_end_to_end_recipe_runs_by_all_its_protocols(tmp_path: Path, data: Path) -> None:
    result = measure(tmp_path, data, END_TO_END + 'also = ["mention", "document"]\n' + KB)
    assert result["precision"] == 1.0
    assert 0.5 < float(str(result["recall"])) <= 1.0
    also = result["also"]
    assert isinstance(also, list)
    assert [report["protocol"] for report in also] == ["mention", "document"]


def test_gold_ids_that_are_alternates_count_as_the_entity_s_own(tmp_path: Path, data: Path) -> None:
    gold = data / "corpora/bc5cdr/test.pubtator.txt"
    gold.write_text(PUBTATOR.replace("D000001", "D000009"), encoding="utf-8")
    table = TABLE.replace("\ttype\n", "\ttype\txrefs\n").replace(
        "heart attack\tDisease", "heart attack\tDisease\tMESH:D000009"
    )
    (data / "kb/terms.tsv").write_text(table, encoding="utf-8")
    strong = measure(tmp_path, data, END_TO_END + KB)
    assert (strong["recall"], strong["recall_in_kb"]) == (1.0, 1.0)
    strict = measure(tmp_path, data, NAMES + STRICT + 'only = ["Disease"]\n' + KB)
    assert strict["accuracy_at_1"] == 1.0


def test_a_recipe_keeps_only_the_types_it_names(tmp_path: Path, data: Path) -> None:
    result = measure(tmp_path, data, NAMES + STRICT + KB + 'types = ["Chemical"]\n')
    assert result["kb_entities"] == 1


def test_the_model_that_is_named_is_measured(tmp_path: Path, data: Path) -> None:
    """Names that only look alike are found by no dictionary, and linked by no equal name."""
    folder = tmp_path / "mine"
    folder.mkdir()
    config = {"parts": ["dictionary-detector", "bm25-linker"]}
    artifacts.write_manifest(folder, kind=PIPELINE, version=1, config=config)
    path = tmp_path / "tiny.toml"
    path.write_text(END_TO_END.replace('"names"', '"default"') + KB, encoding="utf-8")
    given = ("evaluate", path, "--data", data, "--json")
    usual, mine = (json.loads(call(*given, *more).stdout) for more in ((), ("--model", folder)))
    assert (usual["model"], mine["model"]) == (["default"], ["mine"])
    assert mine["model_digest"] is None  # nothing in it was trained
    assert len(usual["model_digest"].split("+")) == 2
    recipe = read_recipe(path)
    (expected,) = run_recipe(replace(recipe, model=tuple(config["parts"])), data=data).reports
    assert mine["f1"] == expected["f1"]
    # A linker alone stands behind the detector of the default, as with `link --model`.
    lone = json.loads(call(*given, "--model", find_model("bm25-linker")).stdout)
    whole = replace(recipe, model=("detector", "bm25-linker"))
    (expected,) = run_recipe(whole, data=data).reports
    assert (lone["model"], lone["f1"]) == (["bm25-linker"], expected["f1"])


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('[evaluate]\nprotocol = "abbreviations"\nsplit = "all"\n', "abbreviations"),
        ('[evaluate]\nprotocol = "variants"\nsplit = "dev"\n', "variants"),
        (
            '[evaluate]\nprotocol = "lenient"\ncorpus = "ncbi-disease"\nsplit = "test"\n'
            'index = "exact"\n',
            "lenient",
        ),
    ],
)
def test_a_model_for_a_recipe_that_runs_none_is_wrong_use(
    tmp_path: Path, data: Path, text: str, where: str
) -> None:
    path = tmp_path / f"{where}.toml"
    path.write_text('title = "t"\n' + text, encoding="utf-8")
    done = call("evaluate", path, "--data", data, "--model", find_model("names"))
    assert (done.returncode, done.stdout) == (2, "")
    assert f"recipe {where!r} runs no model, so --model cannot be used" in done.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title = ", r"tiny\.toml: not a recipe"),
        ('title = "t"\n', "measures nothing"),
        ('title = "t"\nfoo = 1\n', r"tiny\.toml: not a recipe: unknown key foo$"),
        ("[evaluate]\n", r"tiny\.toml: not a recipe: title is missing"),
        ('title = "t"\n[evaluate]\n', r"not a recipe: protocol in \[evaluate\] is missing"),
        ('title = "t"\nkb = 3\n', r"not a recipe: kb = 3; it must be a section, \[kb\]"),
        ('title = "t"\ntrain = "x"\n', r"not a recipe: train = 'x'; it must be a section"),
        ('title = "t"\nmodel = ["x"]\n', r"not a recipe: model = \['x'\]; it must be a section"),
        ('title = "t"\n[model]\nparts = "names"\n', "parts = 'names' .* must be a list"),
        ('title = "t"\n[evaluate]\nprotocol = 3\n', r"protocol = 3 in \[evaluate\]"),
        ('title = "t"\n[evaluate]\nprotocol = "strict"\nonly = "Gene"\n', "only = 'Gene' in"),
        ('title = "t"\n[train]\nkind = "detector"\non = "bc5cdr"\n', "on = 'bc5cdr' in"),
        ('title = "t"\n[train]\non = ["bc5cdr"]\n', r"kind in \[train\] is missing"),
        ('title = "t"\n[evaluate]\nprotocol = "x"\ncorpus = "bc5cdr"\n', "called 'x'"),
        (f'title = "t"\n{STRICT}{KB}', r"names no model: it has neither \[model\] nor \[train\]"),
        (NAMES + STRICT, r"no \[kb\]"),
        (
            LENIENT.replace("ncbi-disease", "biored").replace("test", "dev") + 'index = "ngram"\n',
            "'biored'",
        ),
        (LENIENT + 'index = "magic"\n', "'magic'; there is: verbatim"),
        (NAMES.replace("name-linker", "magic") + STRICT + KB, "'magic'"),
        (END_TO_END.replace('"names"', '"detector", "magic"') + KB, "'magic'"),
        (END_TO_END + 'also = ["magic"]\n' + KB, "magic"),
        (END_TO_END + 'peer = "magic"\n' + KB, "no peer is called 'magic'"),
        (END_TO_END.replace('"names"', '"name-linker"') + KB, "add a detector before it"),
        (NAMES + STRICT + '[kb]\nreader = "magic"\npath = "kb/terms.tsv"\n', "'magic'"),
        (NAMES + STRICT + '[kb]\nconcepts_of = "magic"\n', "no concepts of 'magic'"),
        (
            NAMES + STRICT + '[kb]\nreader = "table"\npath = "kb/gone.tsv"\n',
            r"gone\.tsv: not there",
        ),
        (NAMES + STRICT.replace("bc5cdr", "nothing") + KB, "no corpus 'nothing'"),
        (NAMES + STRICT.replace("test", "dev") + KB, r"dev\.pubtator\.txt: not there"),
    ],
)
def test_a_recipe_that_cannot_run_says_why_in_one_line(
    tmp_path: Path, data: Path, text: str, message: str
) -> None:
    with pytest.raises(HoldfastError, match=message) as caught:
        measure(tmp_path, data, text)
    assert "\n" not in str(caught.value)


def test_a_model_that_can_be_fetched_is_offered_before_it_is_trained(data: Path) -> None:
    done = call("evaluate", "collective-bc5cdr-int8", "--data", data)
    assert done.returncode == 2
    assert "`holdfast models get collective-bc5cdr-int8`, or first `holdfast train" in done.stderr


def test_training_a_recipe_says_whose_name_still_means_the_model_that_ships(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = "holdfast.link.training.train.train_ranked_linker"
    monkeypatch.setattr(trainer, lambda *_arguments, **_options: None)
    folder = tmp_path / "mine"
    done = call("train", "linker", "--data", data, "--out", folder)
    assert f"'linker' still names the model that ships; use --model {folder}" in done.stderr
    assert "ships" not in call("train", "names-ncbi", "--data", data, "--out", folder).stderr


def test_an_unknown_recipe_is_wrong_use_that_lists_what_there_is() -> None:
    with pytest.raises(UsageError, match="no recipe is called 'magic'; there is: abbreviations-"):
        read_recipe("magic")
    with pytest.raises(UsageError, match=r"gone\.toml"):
        read_recipe("gone.toml")


def test_a_recipe_that_is_not_utf8_is_a_format_error(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_bytes(b'title = "caf\xe9"')
    with pytest.raises(FormatError, match=r"x\.toml: not UTF-8"):
        read_recipe(tmp_path / "x.toml")


def test_evaluate_prints_one_object_and_reproduce_stores_it(tmp_path: Path, data: Path) -> None:
    name = "lenient-ncbi-ngram"  # one of those that the README shows
    path = tmp_path / f"{name}.toml"
    path.write_text(
        LENIENT + 'index = "exact"\n[[reference]]\nby = "somebody"\naccuracy_at_1 = 0.5\n',
        encoding="utf-8",
    )
    done = call("evaluate", path, "--data", data, "--json")
    assert done.returncode == 0
    printed = json.loads(done.stdout)
    results = tmp_path / "out" / "results"
    done = call("reproduce", path, "--data", data, "--results", results)
    assert done.returncode == 0
    assert "`make results`" in done.stderr
    stored = read_results(results)
    assert {**stored[name], **printed} == stored[name]
    assert [p.name for p in results.iterdir()] == [f"{name}.json"], "pages are made by a script"
    assert str(tmp_path) not in json.dumps(stored)


def test_all_goes_on_without_what_needs_another_training(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fine, missing = tmp_path / "fine.toml", tmp_path / "absent.toml"
    fine.write_text(LENIENT + 'index = "exact"\n', encoding="utf-8")
    missing.write_text(
        'title = "t"\n[evaluate]\nprotocol = "link-prediction"\nsplit = "test"\n'
        '[model]\nparts = ["never-trained"]\n',
        encoding="utf-8",
    )
    listed = [str(missing), str(fine)]
    monkeypatch.setattr("holdfast.experiments.recipe.shipped", lambda: listed)
    results = tmp_path / "results"
    done = call("reproduce", "all", "--data", data, "--results", results)
    assert done.returncode == 1
    assert "absent: left out, " in done.stderr
    assert "never-trained" in done.stderr
    assert list(read_results(results)) == ["fine"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("evaluate", "magic", "--data", "DATA"), 2, "no recipe is called 'magic'"),
        (
            ("evaluate", "lenient-ncbi-exact", "--data", "nowhere"),
            2,
            "nowhere: no such data folder",
        ),
        (("evaluate", "lenient-bc5cdr-disease-exact", "--data", "DATA"), 1, "test.concept.tsv"),
        (("reproduce", "magic", "--data", "DATA"), 2, "no recipe is called 'magic'"),
        (("evaluate", "detector", "--data", "DATA"), 2, "`holdfast train detector` makes it"),
        (("evaluate", "linker", "--data", "DATA"), 2, "`holdfast train linker` makes it"),
        (("reproduce", "single-bc5cdr-curve", "--data", "DATA"), 2, "measures nothing"),
    ],
)
def test_what_cannot_be_evaluated_is_one_line(
    data: Path, arguments: tuple[str, ...], code: int, message: str
) -> None:
    done = call(*(str(data) if argument == "DATA" else argument for argument in arguments))
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert message in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("name", "expected"),
    [("lenient-ncbi-verbatim", 0.76875), ("lenient-bc5cdr-disease-verbatim", 0.8395)],
)
def test_the_verbatim_baselines_are_the_published_ones(
    data_dir: Path, name: str, expected: float
) -> None:
    (report,) = run_recipe(read_recipe(name), data=data_dir).reports
    assert report.to_json()["accuracy_at_1"] == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(
    ("name", "least"), [("lenient-ncbi-ngram", 0.876), ("lenient-bc5cdr-disease-ngram", 0.922)]
)
def test_the_ngram_baselines_reach_those_of_others(data_dir: Path, name: str, least: float) -> None:
    (report,) = run_recipe(read_recipe(name), data=data_dir).reports
    assert float(str(report.to_json()["accuracy_at_1"])) >= least


def test_the_recipe_that_writes_a_model_is_found_by_its_name() -> None:
    token = "multitask-biored-hierarchical-token"
    assert recipe_that_writes(token) == token
    assert recipe_that_writes(f"{token}-typing") == token
    assert recipe_that_writes("relations-bc5cdr-int8") == "relations-bc5cdr"
    assert recipe_that_writes("mine-int8") == "mine"
