"""Links below a score: `--min-score` and `load(min_score=…)`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import holdfast
from command import call
from holdfast.document import NIL, Candidate, Document, Mention
from holdfast.errors import UsageError
from holdfast.link.min_score import MinScore
from small_kb import make_kb

TEXT = "Heart attack after lithium carbonate."


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_kb(tmp_path_factory.mktemp("min_score") / "kb").folder


@pytest.mark.parametrize("model", ["default", "names"])
def test_links_that_score_less_are_nil_and_keep_their_candidates(kb: Path, model: str) -> None:
    usual = holdfast.load(kb, model=model)(TEXT).mentions
    assert all(mention.is_linked for mention in usual)
    assert min(mention.candidates[0].score for mention in usual) < 1.0
    strict = holdfast.load(kb, model=model, min_score=1.0)(TEXT).mentions
    assert [m.candidates for m in strict] == [m.candidates for m in usual]
    for before, after in zip(usual, strict, strict=True):
        assert after.ids == (before.ids if before.candidates[0].score == 1.0 else (NIL,))


def test_the_command_line_does_the_same(kb: Path) -> None:
    done = call("link", TEXT, "--kb", kb, "--json", "--min-score", "0.999")
    assert json.loads(done.stdout) == holdfast.load(kb, min_score=0.999)(TEXT).to_json()
    assert {tuple(m["ids"]) for m in json.loads(done.stdout)["mentions"]} == {(NIL,)}
    assert all(m["candidates"] for m in json.loads(done.stdout)["mentions"])


def test_what_a_rule_decides_is_not_asked_for_its_score(kb: Path, tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text('[pin]\n"heart attack" = "MESH:D002"\n', encoding="utf-8")
    pinned, other = holdfast.load(kb, min_score=1.0, rules=rules)(TEXT).mentions
    assert pinned.ids == ("MESH:D002",)
    assert other.is_nil


def test_of_several_ids_those_that_score_enough_stay() -> None:
    candidates = (Candidate("X:1", "a", 0.8), Candidate("X:2", "b", 0.3))
    several = Mention.at(0, 1, ids=["X:1", "X:2"])
    document = Document("1", "ab", mentions=(_with(several, candidates), Mention.at(1, 2)))
    (checked, untouched) = MinScore(0.5)(document).mentions
    assert checked.ids == ("X:1",)
    assert untouched.ids == ()


def test_an_id_without_a_score_stays() -> None:
    document = Document("1", "rs12", mentions=(Mention.at(0, 4, ids=["dbSNP:rs12"]),))
    assert MinScore(1.0)(document) == document


@pytest.mark.parametrize("least", [-0.1, 1.1, float("nan")])
def test_a_score_outside_the_range_is_refused(kb: Path, least: float) -> None:
    with pytest.raises(UsageError, match="from 0 to 1"):
        holdfast.load(kb, min_score=least)
    done = call("link", TEXT, "--kb", kb, f"--min-score={least}")
    assert done.returncode == 2
    assert str(least) in done.stderr


def _with(mention: Mention, candidates: tuple[Candidate, ...]) -> Mention:
    return Mention(mention.spans, ids=mention.ids, candidates=candidates)
