"""A small detector is really trained, on corpora that each mark a part, and exported."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers  # noqa: E402
from transformers import BertConfig, BertModel  # noqa: E402

from holdfast.detect.marks import NAMES_OF_MARKS, shape_marks  # noqa: E402
from holdfast.detect.tagger import Tagger  # noqa: E402
from holdfast.detect.training.batches import MarkDropout, collate, plan  # noqa: E402
from holdfast.detect.training.export import export_tagger  # noqa: E402
from holdfast.detect.training.learning import DetectorConfig, learn  # noqa: E402
from holdfast.detect.training.lessons import Lesson, lessons  # noqa: E402
from holdfast.detect.training.model import (  # noqa: E402
    TokenTagger,
    partial_loss,
    pretrained_tagger,
)
from holdfast.detect.training.schemes import TAUGHT, Scheme  # noqa: E402
from holdfast.detect.training.train import train_detector  # noqa: E402
from holdfast.document import Document, Mention  # noqa: E402
from holdfast.encoders.tokens import TokenReader  # noqa: E402
from holdfast.errors import ArtifactError, UsageError  # noqa: E402
from holdfast.experiments.recipe import Recipe, Train  # noqa: E402
from holdfast.text.windows import windows  # noqa: E402

WORDS = (
    *("the", "of", "after", "gave", "rise", "to", ",", ".", "(", ")"),
    *("gout", "heart", "attack", "pain", "aspirin", "lithium", "salt"),
)
DRUGS, DISEASES = ("aspirin", "lithium salt"), ("gout", "heart attack", "pain")
TAGS = 2 * len(TAUGHT) + 1
FAST = DetectorConfig(
    longest=24,
    overlap=4,
    passes=4.0,
    tokens=160,
    encoder_rate=3e-3,
    head_rate=3e-3,
    vocabularies=(),
    report_every=1,
    save_every=5,
    threads=1,
)


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS]
    vocabulary = {piece: place for place, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


@pytest.fixture(scope="module")
def encoder(tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Hugging Face folder of a small BERT with random weights."""
    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("encoder")
    config = BertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=32,
    )
    BertModel(config).save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def tagger_of(encoder: Path) -> TokenTagger:
    torch.manual_seed(0)
    return pretrained_tagger(encoder, marks=len(NAMES_OF_MARKS), tags=TAGS)


def sentences(count: int, *, seed: int) -> list[tuple[str, list[Mention]]]:
    """Texts that name a drug and a disease, with both marked."""
    random = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        drug, disease = random.choice(DRUGS), random.choice(DISEASES)
        before = " ".join(random.choice(["the", "of", "after", "to"], random.integers(0, 3)))
        text = f"{before} {drug} gave rise to {disease} ." if before else f"{drug} of {disease} ,"
        marked = [
            Mention.at(text.index(drug), text.index(drug) + len(drug), "Chemical"),
            Mention.at(text.index(disease), text.index(disease) + len(disease), "Disease"),
        ]
        made.append((text, marked))
    return made


def taught(tokenizer: Tokenizer, *, seed: int = 0) -> list[Lesson]:
    """Half of the sentences mark diseases only, the others chemicals only."""
    reader = TokenReader.of(tokenizer)
    found = list[Lesson]()
    for type, part in (("Disease", sentences(60, seed=seed)), ("Chemical", sentences(60, seed=9))):
        documents = [
            Document(str(i), text, mentions=tuple(m for m in marked if m.type == type))
            for i, (text, marked) in enumerate(part)
        ]
        scheme = Scheme(frozenset({type}), 4.0)
        found += lessons(documents, scheme, reader=reader, dictionaries=(), size=22, overlap=4)
    return found


@pytest.fixture(scope="module")
def trained(
    tokenizer: Tokenizer, encoder: Path, tmp_path_factory: pytest.TempPathFactory
) -> TokenTagger:
    model = tagger_of(encoder)
    work = tmp_path_factory.mktemp("work") / "checkpoints"
    reader = TokenReader.of(tokenizer)
    learn(model, taught(tokenizer), FAST, reader=reader, work=work, report=lambda _: None)
    return model.eval()


def exported(model: TokenTagger, tokenizer: Tokenizer, folder: Path, *, quantised: bool) -> Tagger:
    config = {
        "width": TAGS,
        "longest": 24,
        "overlap": 4,
        "types": list(TAUGHT),
        "marks": list(NAMES_OF_MARKS),
        "caution": 0.0,
    }
    export_tagger(model, tokenizer, folder, quantised=quantised, config=config)
    return Tagger.open(folder, threads=1)


@pytest.mark.parametrize("quantised", [False, True])
def test_two_corpora_teach_together_what_neither_marks_alone(
    trained: TokenTagger, tokenizer: Tokenizer, tmp_path: Path, quantised: bool
) -> None:
    tagger = exported(trained, tokenizer, tmp_path / "model", quantised=quantised)
    for text, marked in sentences(20, seed=77):
        assert [tagged.mention for tagged in tagger.tag(text)] == marked


@pytest.mark.parametrize(("quantised", "allowance"), [(False, 1e-4), (True, 1.0)])
def test_the_exported_network_computes_what_torch_does(
    trained: TokenTagger, tokenizer: Tokenizer, tmp_path: Path, quantised: bool, allowance: float
) -> None:
    tagger = exported(trained, tokenizer, tmp_path / "model", quantised=quantised)
    text = "Aspirin gave rise to heart attack ."
    tokens = tagger.encoder.reader.read(text)
    marks = shape_marks(text, tokens)
    ids = torch.tensor([[tagger.encoder.reader.first, *tokens.ids, tagger.encoder.reader.last]])
    with torch.inference_mode():
        framed = torch.from_numpy(np.pad(marks, ((1, 1), (0, 0))))[None]
        expected = trained(ids, framed)[0, 1:-1].numpy()
    assert np.abs(tagger.encoder.encode(tokens, marks) - expected).max() < allowance


def test_a_long_text_is_read_in_windows_each_as_if_alone(
    trained: TokenTagger, tokenizer: Tokenizer, tmp_path: Path
) -> None:
    tagger = exported(trained, tokenizer, tmp_path / "model", quantised=False)
    text = "the lithium salt gave rise to gout . " * 40
    reader = tagger.encoder.reader
    tokens = reader.read(text)
    marks = shape_marks(text, tokens)
    rows = tagger.encoder.encode(tokens, marks)
    assert rows.shape == (len(tokens), TAGS)
    for window in windows(len(tokens), size=22, overlap=4):
        framed = torch.from_numpy(np.pad(marks[window.start : window.end], ((1, 1), (0, 0))))
        with torch.inference_mode():
            ids = torch.from_numpy(reader.framed(tokens, window))
            alone = trained(ids[None], framed[None])[0, 1:-1].numpy()
        expected = alone[window.kept]
        assert np.abs(rows[window.first : window.last] - expected).max() < 1e-4


def test_caution_finds_less(trained: TokenTagger, tokenizer: Tokenizer, tmp_path: Path) -> None:
    tagger = exported(trained, tokenizer, tmp_path / "model", quantised=False)
    reading = tagger.read("aspirin gave rise to gout")
    cautious = Tagger(tagger.types, 50.0, tagger.encoder)
    assert len(tagger.decode(reading)) == 2
    assert cautious.decode(reading) == []


def test_a_killed_run_goes_on_to_the_same_weights(
    tokenizer: Tokenizer, encoder: Path, tmp_path: Path
) -> None:
    lessons_of_both = taught(tokenizer, seed=1)[::8]
    reader = TokenReader.of(tokenizer)

    def killed(line: str) -> None:
        if line.startswith("step 7 "):
            raise KeyboardInterrupt

    whole, resumed, again = (tagger_of(encoder) for _ in range(3))
    learn(whole, lessons_of_both, FAST, reader=reader, work=tmp_path / "a", report=lambda _: None)
    with pytest.raises(KeyboardInterrupt):
        learn(resumed, lessons_of_both, FAST, reader=reader, work=tmp_path / "b", report=killed)
    lines = list[str]()
    learn(again, lessons_of_both, FAST, reader=reader, work=tmp_path / "b", report=lines.append)
    assert lines[0] == "going on from step 5"
    for one, other in zip(whole.parameters(), again.parameters(), strict=True):
        torch.testing.assert_close(one, other)


def test_the_loss_is_that_of_all_allowed_tags_together() -> None:
    scores = torch.tensor([[1.0, 2.0, 3.0], [0.5, 0.0, -1.0]])
    allowed = torch.tensor([[True, False, True], [True, True, True]])
    probability = scores.softmax(dim=1)
    expected = -torch.log((probability * allowed).sum(dim=1))
    torch.testing.assert_close(partial_loss(scores, allowed), expected)


def test_a_type_that_was_not_looked_for_counts_less_than_nothing_at_all() -> None:
    scores = torch.tensor([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]])
    allowed = torch.tensor([[True, True, False], [False, True, True]])
    outside, inside = partial_loss(scores, allowed, unmarked=0.25)
    probability = scores[0].softmax(dim=0)
    torch.testing.assert_close(outside, -torch.log(probability[0] + 0.25 * probability[1]))
    torch.testing.assert_close(inside, -torch.log(probability[1] + probability[2]))


def test_batches_stay_below_their_size_and_show_each_lesson_as_often_as_asked(
    tokenizer: Tokenizer,
) -> None:
    made = taught(tokenizer)
    batches = plan(made, passes=0.5, tokens=100, seed=3)
    shown = np.bincount([place for batch in batches for place in batch], minlength=len(made))
    assert set(shown.tolist()) == {2}
    for batch in batches:
        longest = max(made[place].window.end - made[place].window.start + 2 for place in batch)
        assert longest * len(batch) <= 100


def test_hidden_names_leave_no_marks_and_shown_ones_do(tokenizer: Tokenizer) -> None:
    (lesson, *_) = taught(tokenizer)
    names = (Mention.at(0, 3, "Gene"),)
    lesson = replace(lesson, document=replace(lesson.document, names=(names,)))
    column = NAMES_OF_MARKS.index("first of a Gene")

    def marked(dropout: MarkDropout) -> float:
        random = np.random.default_rng(0)
        batch = collate([lesson], first=2, last=3, dropout=dropout, random=random)
        return float(batch.marks[0, :, column].sum())

    assert marked(MarkDropout(document=0.0, name=0.0)) == 1
    assert marked(MarkDropout(document=1.0, name=0.0)) == 0
    assert marked(MarkDropout(document=0.0, name=1.0)) == 0


def test_a_text_may_be_read_without_its_capitals(tokenizer: Tokenizer) -> None:
    document = Document("1", "Gout")
    (lesson,) = lessons(
        [document],
        Scheme(frozenset({"Disease"}), 1.0),
        reader=TokenReader.of(tokenizer),
        dictionaries=(),
        size=20,
        overlap=0,
    )

    def marked(dropout: MarkDropout) -> float:
        random = np.random.default_rng(0)
        return float(collate([lesson], first=2, last=3, dropout=dropout, random=random).marks.sum())

    assert marked(MarkDropout(shapes=0.0)) == 1
    assert marked(MarkDropout(shapes=1.0)) == 0


PUBTATOR = "{id}|t|{text}\n{id}|a|\n{rows}\n"


def write_corpus(path: Path, made: list[tuple[str, list[Mention]]], *, first: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    blocks = []
    for place, (text, marked) in enumerate(made):
        id = first + place
        rows = "".join(
            f"{id}\t{m.start}\t{m.end}\t{text[m.start : m.end]}\t{m.type}\tD1\n" for m in marked
        )
        blocks.append(PUBTATOR.format(id=id, text=text, rows=rows))
    path.write_text("".join(blocks), encoding="utf-8")


def test_a_recipe_is_trained_chosen_on_dev_and_written(
    encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_HOME", str(tmp_path / "home"))
    folder = tmp_path / "data" / "corpora" / "bc5cdr"
    write_corpus(folder / "train.pubtator.txt", sentences(60, seed=0), first=100)
    # None of its texts may be in train, which would lose them.
    dev: list[tuple[str, list[Mention]]] = [
        (f"pain ( gout ) {text}", []) for text, _ in sentences(3, seed=5)
    ]
    write_corpus(folder / "dev.pubtator.txt", dev, first=900)
    recipe = Recipe(
        name="small",
        title="",
        train=Train("detector", on=("bc5cdr train",), select="bc5cdr dev", settings=asdict(FAST)),
    )
    out = tmp_path / "model"
    manifest = train_detector(
        recipe, data=tmp_path / "data", out=out, encoder=encoder, report=lambda _: None
    )
    assert manifest.config["training_data"] == ["bc5cdr train"]
    assert "bc5cdr dev typed F1, all" in manifest.config["results"]
    assert Tagger.open(out).types == TAUGHT


def test_a_corpus_without_a_table_of_its_types_is_refused(encoder: Path, tmp_path: Path) -> None:
    recipe = Recipe(name="small", title="", train=Train("detector", on=("ddi train",)))
    with pytest.raises(UsageError, match="'ddi'"):
        train_detector(
            recipe, data=tmp_path, out=tmp_path / "o", encoder=encoder, report=lambda _: None
        )


def test_an_encoder_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match=r"no config\.json"):
        pretrained_tagger(tmp_path, marks=1, tags=3)
