"""Recipes: those that ship are sound, and each protocol runs end to end on a small data folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from holdfast.link.ranking.shipped import shipped_encoder
from holdfast.registry import DETECTORS, LINKERS

from command import call
from holdfast.corpora.named import CORPORA
from holdfast.errors import FormatError, HoldfastError, UsageError
from holdfast.evaluate.protocols import PROTOCOLS
from holdfast.experiments.recipe import TRAINED_ONLY, read_recipe, shipped
from holdfast.experiments.results import outcome_to_json, read_results
from holdfast.experiments.run import COLLECTIVE, INDEXES, run_recipe
from holdfast.kb.open.vocabularies import OPEN, VOCABULARIES
from holdfast.kb.readers import READERS
from holdfast.link.ranking.ranker import PARTS
from holdfast.link.training.train import train_ranked_linker
from holdfast.systems.collective.model import recipe_of
from holdfast.types import TYPES

GOLD_MENTIONS = ("lenient", "strict", "ranked", "abbreviations", "variants")

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


CRAFT = ("UBERON", "CL", "GO_BP", "GO_CC", "GO_MF", "NCBITaxon")  # types of its mentions


@pytest.mark.parametrize("name", shipped())
def test_every_shipped_recipe_names_only_what_there_is(name: str) -> None:
    recipe = read_recipe(name)
    assert recipe.name == name
    assert recipe.title
    assert recipe.protocol in (*GOLD_MENTIONS, *PROTOCOLS, *TRAINED_ONLY)
    kinds = (recipe.protocol, "names", "ablation", "nil", "linker", "joined", *COLLECTIVE)
    assert name.split("-")[0] in kinds
    if recipe.protocol == "lenient":
        assert recipe.linker in ({"ranked"} if recipe.fit else INDEXES)
    elif recipe.protocol not in ("abbreviations", "variants", *TRAINED_ONLY):
        assert recipe.split in CORPORA[recipe.corpus].splits
        if recipe.linker not in (*COLLECTIVE, "joined"):
            assert recipe.linker in ({"ranked"} if recipe.fit or recipe.model else LINKERS)
        assert recipe.kb is not None or recipe.corpus.startswith("medmentions")
    assert f"{recipe.corpus} {recipe.split}" not in (*recipe.fit, *recipe.training_names)
    assert not recipe.model or recipe_of(recipe.model) in shipped()
    assert set(recipe.without) <= set(PARTS)
    assert not recipe.detector or recipe.detector in DETECTORS
    assert set(recipe.only) <= {*TYPES, *(CRAFT if recipe.corpus == "craft" else ())}
    assert set(recipe.also) <= set(PROTOCOLS)
    assert recipe.split not in recipe.training_names
    if recipe.kb is not None:
        assert bool(recipe.kb.get) != bool(recipe.kb.reader and recipe.kb.path)
        assert not recipe.kb.get or recipe.kb.get in (*VOCABULARIES, OPEN)
        assert not recipe.kb.reader or recipe.kb.reader in READERS
    assert all(reference.figures for reference in recipe.references)


@pytest.mark.parametrize(
    ("linker", "accuracy"), [("verbatim", 1 / 3), ("exact", 2 / 3), ("ngram", 2 / 3)]
)
def test_a_lenient_recipe_runs(tmp_path: Path, data: Path, linker: str, accuracy: float) -> None:
    result = measure(
        tmp_path,
        data,
        'title = "t"\nprotocol = "lenient"\ncorpus = "ncbi-disease"\nsplit = "test"\n'
        f'linker = "{linker}"\n',
    )
    assert result["accuracy_at_1"] == pytest.approx(accuracy)
    assert result["n_scored"] == 3
    assert result["dictionary_names"] == 3


def test_a_strict_recipe_runs_and_training_names_help(tmp_path: Path, data: Path) -> None:
    recipe = (
        'title = "t"\nprotocol = "strict"\ncorpus = "bc5cdr"\nsplit = "test"\nonly = ["Disease"]\n'
    )
    result = measure(tmp_path, data, recipe + KB)
    assert (result["accuracy_at_1"], result["n_scored"]) == (1.0, 2)
    assert (result["kb_entities"], result["kb_names"]) == (3, 4)
    trained = measure(tmp_path, data, recipe + 'training_names = ["train"]\n' + KB)
    assert trained["kb_names"] == 5
    assert trained["kb_digest"] != result["kb_digest"]


FITTED = (
    'title = "t"\nprotocol = "strict"\ncorpus = "bc5cdr"\nsplit = "test"\nlinker = "ranked"\n'
    'only = ["Disease"]\nfit = ["train", "dev"]\ntraining_names = ["train", "dev"]\n' + KB
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
    model = tmp_path / "model"
    train_ranked_linker(
        recipe,
        data=data,
        out=model,
        encoder=shipped_encoder(),
        progress=lambda _what, _done: None,
    )
    result = outcome_to_json(recipe, run_recipe(recipe, data=data, model=model))
    assert (result["accuracy_at_1"], result["n_scored"]) == (1.0, 2)
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
        'title = "t"\nprotocol = "lenient"\ncorpus = "ncbi-disease"\nsplit = "test"\n'
        'linker = "ranked"\ntraining_names = ["train", "dev"]\nfit = ["train", "dev"]\n',
        encoding="utf-8",
    )
    recipe = read_recipe(path)
    train_ranked_linker(
        recipe,
        data=data,
        out=tmp_path / "model",
        encoder=shipped_encoder(),
        progress=lambda _what, _done: None,
    )
    result = outcome_to_json(recipe, run_recipe(recipe, data=data, model=tmp_path / "model"))
    assert result["accuracy_at_1"] == pytest.approx(2 / 3)
    (biosyn / "test_dictionary.txt").write_text("D000003|D000009||zibbling\n", encoding="utf-8")
    result = outcome_to_json(recipe, run_recipe(recipe, data=data, model=tmp_path / "model"))
    assert result["accuracy_at_1"] == 1.0


def test_a_ranked_recipe_runs(tmp_path: Path, data: Path) -> None:
    result = measure(
        tmp_path,
        data,
        'title = "t"\nprotocol = "ranked"\ncorpus = "bc5cdr"\nsplit = "test"\n' + KB,
    )
    assert result["accuracy_at_1"] == pytest.approx(1.0)


def test_an_end_to_end_recipe_runs_by_all_its_protocols(tmp_path: Path, data: Path) -> None:
    result = measure(
        tmp_path,
        data,
        'title = "t"\nprotocol = "strong"\ncorpus = "bc5cdr"\nsplit = "test"\n'
        'only = ["Disease", "Chemical"]\nalso = ["mention", "document"]\n' + KB,
    )
    assert result["precision"] == 1.0
    assert 0.5 < float(str(result["recall"])) <= 1.0
    also = result["also"]
    assert isinstance(also, list)
    assert [report["protocol"] for report in also] == ["mention", "document"]


def test_a_recipe_keeps_only_the_types_it_names(tmp_path: Path, data: Path) -> None:
    recipe = 'title = "t"\nprotocol = "strict"\ncorpus = "bc5cdr"\nsplit = "test"\n'
    result = measure(tmp_path, data, recipe + KB + 'types = ["Chemical"]\n')
    assert result["kb_entities"] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title = ", r"tiny\.toml: not a recipe"),
        ('title = "t"\n', r"tiny\.toml: not a recipe: .*protocol"),
        ('title = "t"\nfoo = 1\n', r"tiny\.toml: not a recipe: .*foo"),
        (
            'title = "t"\nprotocol = "x"\ncorpus = "bc5cdr"\nsplit = "test"\nkb = 3\n',
            "not a recipe",
        ),
        ('title = "t"\nprotocol = 3\ncorpus = "bc5cdr"\nsplit = "test"\n', "protocol"),
        ('title = "t"\nprotocol = "x"\ncorpus = "bc5cdr"\nsplit = "test"\n', "called 'x'"),
        ('title = "t"\nprotocol = "strict"\ncorpus = "bc5cdr"\nsplit = "test"\n', r"no \[kb\]"),
        (
            'title = "t"\nprotocol = "lenient"\ncorpus = "biored"\nsplit = "dev"\n'
            'linker = "ngram"\n',
            "'biored'",
        ),
        (
            'title = "t"\nprotocol = "lenient"\ncorpus = "ncbi-disease"\nsplit = "test"\n'
            'linker = "magic"\n',
            "'magic'",
        ),
        (
            'title = "t"\nprotocol = "strict"\ncorpus = "bc5cdr"\nsplit = "test"\n'
            'linker = "magic"\n' + KB,
            "'magic'",
        ),
        (
            'title = "t"\nprotocol = "strong"\ncorpus = "bc5cdr"\nsplit = "test"\n'
            'detector = "magic"\n' + KB,
            "'magic'",
        ),
        (
            'title = "t"\nprotocol = "strong"\ncorpus = "bc5cdr"\nsplit = "test"\n'
            'also = ["magic"]\n' + KB,
            "magic",
        ),
        (
            'title = "t"\nprotocol = "strict"\ncorpus = "bc5cdr"\nsplit = "test"\n'
            '[kb]\nreader = "magic"\npath = "kb/terms.tsv"\n',
            "'magic'",
        ),
        (
            'title = "t"\nprotocol = "strict"\ncorpus = "bc5cdr"\nsplit = "test"\n'
            '[kb]\nreader = "table"\npath = "kb/gone.tsv"\n',
            r"gone\.tsv: not there",
        ),
        (
            'title = "t"\nprotocol = "strict"\ncorpus = "nothing"\nsplit = "test"\n' + KB,
            "no corpus 'nothing'",
        ),
        (
            'title = "t"\nprotocol = "strict"\ncorpus = "bc5cdr"\nsplit = "dev"\n' + KB,
            r"dev\.pubtator\.txt: not there",
        ),
    ],
)
def test_a_recipe_that_cannot_run_says_why_in_one_line(
    tmp_path: Path, data: Path, text: str, message: str
) -> None:
    with pytest.raises(HoldfastError, match=message) as caught:
        measure(tmp_path, data, text)
    assert "\n" not in str(caught.value)


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
        'title = "Tiny"\nprotocol = "lenient"\ncorpus = "ncbi-disease"\nsplit = "test"\n'
        'linker = "exact"\n[[reference]]\nby = "somebody"\naccuracy_at_1 = 0.5\n',
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
