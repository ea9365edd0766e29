"""AskAPatient and TwADR-L: every fold for itself, on hand-written files."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpora.named.files import write
from holdfast.corpora.named.biosyn import LenientMention, LenientName
from holdfast.errors import InputError, UsageError
from holdfast.experiments.lenient.social import FOLDS, load_fold, load_folds, score_folds
from holdfast.experiments.lenient.tasks import LenientTask
from holdfast.names.exact import VerbatimIndex

FATIGUE, RAGE = "C0015672\tFatigue", "C0034634\tRage"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Fold 0 trains on "so tired", the others on "worn out"; all evaluate both."""
    folder = tmp_path / "corpora/social/twadrl"
    ontology = '{"C0015672": [["primary", "Fatigue"]], "C0034634": [["primary", "Rage"]]}'
    write(folder / "ontology.json", ontology)
    for fold in range(FOLDS):
        words = "worn out" if fold else "So tired!"
        own = f"{FATIGUE}\tFatigue\n{RAGE}\tRage\n"
        write(folder / f"TwADR-L.fold-{fold}.train.txt", f"{own}{FATIGUE}\t{words}\n")
        write(folder / f"TwADR-L.fold-{fold}.validation.txt", f"{FATIGUE}\tso tired\n")
        write(folder / f"TwADR-L.fold-{fold}.test.txt", f"{FATIGUE}\tSO TIRED\n{RAGE}\tgrr\n")
    return tmp_path


def mention(text: str, id: str) -> LenientMention:
    return LenientMention("", (text,), frozenset({id}))


def test_a_fold_is_the_vocabulary_its_training_and_its_development_mentions(data: Path) -> None:
    assert load_fold("twadr", "dev", 0, data=data) == LenientTask(
        dictionary=(
            LenientName("fatigue", frozenset({"C0015672"})),
            LenientName("rage", frozenset({"C0034634"})),
        ),
        training=(
            mention("fatigue", "C0015672"),
            mention("rage", "C0034634"),
            mention("so tired", "C0015672"),
        ),
        mentions=(mention("so tired", "C0015672"),),
    )


def test_the_test_split_also_trains_on_the_development_mentions(data: Path) -> None:
    task = load_fold("twadr", "test", 3, data=data)
    assert [m.parts[0] for m in task.training] == ["fatigue", "rage", "worn out", "so tired"]
    assert [m.parts[0] for m in task.mentions] == ["so tired", "grr"]


def test_what_one_fold_trains_on_no_other_fold_knows(data: Path) -> None:
    report = score_folds(load_folds("twadr", "dev", data=data), VerbatimIndex.build)
    assert report["accuracy_at_1"] == pytest.approx(1 / FOLDS)
    assert report.counts["n_scored"] == FOLDS
    assert report.context["folds"] == FOLDS
    assert report.context["dictionary_names_most"] == 3


def test_folds_are_averaged_over_mentions_not_over_folds() -> None:
    names = (LenientName("tired", frozenset({"A"})),)
    small = LenientTask(names, (), (mention("tired", "A"),))
    large = LenientTask(names, (), (mention("angry", "B"),) * 3)
    assert score_folds([small, large], VerbatimIndex.build)["accuracy_at_1"] == 1 / 4


def test_intervals_draw_wordings_because_folds_repeat_them() -> None:
    names = (LenientName("tired", frozenset({"A"})),)
    folds = [LenientTask(names, (), (mention("tired", "A"), mention("angry", "B")))] * FOLDS
    report = score_folds(folds, VerbatimIndex.build)
    assert (report.unit, report.counts["n_wordings"]) == ("wording", 2)
    assert "n_documents" not in report.counts
    figure = report.figures["accuracy_at_1"]
    assert (figure.low, figure.value, figure.high) == (0, 0.5, 1)


@pytest.mark.parametrize(
    ("corpus", "split", "fold", "message"),
    [
        ("reddit", "dev", 0, "no corpus 'reddit'; there is askapatient, twadr"),
        ("twadr", "train", 0, "no split 'train'"),
        ("twadr", "dev", 10, "no fold 10; they are 0 to 9"),
    ],
)
def test_what_is_not_there_is_named(
    data: Path, corpus: str, split: str, fold: int, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        load_fold(corpus, split, fold, data=data)


def test_a_missing_file_is_named(data: Path) -> None:
    with pytest.raises(InputError, match="askapatient"):
        load_fold("askapatient", "dev", 0, data=data)
