"""Work grows with the text, not faster, on texts that no author wrote."""

from __future__ import annotations

import itertools
import string
import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

import holdfast
from holdfast.detect.agreement import agree
from holdfast.detect.tagger import Tagged
from holdfast.detect.variants import with_written, written_variants
from holdfast.document import Document, Mention, Span
from holdfast.encoders.tokens import TokenEncoder, Tokens
from holdfast.kb import KnowledgeBase
from holdfast.link.variants.linker import VariantLinker
from holdfast.text.abbreviations import find_abbreviations, long_forms
from holdfast.text.occurrences import occurrences
from holdfast.text.sentences import split_sentences
from holdfast.text.tokens import TOKEN
from holdfast.text.variants.spans import find_variants
from shipped import shipped_detector
from small_kb import make_kb


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    return make_kb(tmp_path_factory.mktemp("runs") / "kb")


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many tokens the network was given, each time."""
    counts, encode = list[int](), TokenEncoder.encode

    def counted(
        self: TokenEncoder, tokens: Tokens, marks: npt.NDArray[np.float32] | None = None
    ) -> npt.NDArray[np.float32]:
        counts.append(len(tokens))
        return encode(self, tokens, marks)

    monkeypatch.setattr(TokenEncoder, "encode", counted)
    return counts


@pytest.mark.parametrize("mark", ["-", ".", "/", "(", ")(", "— ", "_", "*+=", "…\n"])
def test_the_network_reads_the_ends_of_a_long_run_of_marks_only(
    kb: KnowledgeBase, read: list[int], mark: str
) -> None:
    text = "A heart attack " + mark * (10_000 // len(mark)) + " after lithium carbonate."
    found = shipped_detector(kb).detect(text)
    assert [text[m.start : m.end] for m in found] == ["heart attack", "lithium carbonate"]
    assert sum(read) < 200


def test_short_runs_of_marks_are_read_whole(kb: KnowledgeBase, read: list[int]) -> None:
    detector = shipped_detector(kb)
    detector.detect("A heart attack " + "-" * 100 + " after lithium.")
    assert sum(read) > 100


def test_ten_thousand_dashes_are_linked_to_nothing(kb: KnowledgeBase, read: list[int]) -> None:
    assert holdfast.load(kb)("-" * 10_000).mentions == ()
    assert sum(read) < 200


def _definitions(size: int) -> str:
    """Ever new short forms: "alpha beta camma (ABC)"."""
    letters = itertools.product(string.ascii_lowercase, repeat=3)
    parts = (f"{a}lpha {b}eta {c}amma ({(a + b + c).upper()}) " for a, b, c in letters)
    return "".join(itertools.islice(parts, size // 23))


ODD: dict[str, Callable[[int], str]] = {
    "dashes": lambda n: "-" * n,
    "dashed": lambda n: "a-" * (n // 2),
    "opened": lambda n: "(" * n,
    "nested": lambda n: "(" * (n // 2) + ")" * (n // 2),
    "slashes": lambda n: "a/" * (n // 2),
    "dots": lambda n: "." * n,
    "one token": lambda n: "a" * n,
    "digits": lambda n: "1" * n,
    "capitals": lambda n: "A" * n,
    "no spaces": lambda n: "A1b2" * (n // 4),
    "prefixes": lambda n: "c.1_" * (n // 4),
    "deleted": lambda n: "1del" + "A" * n,
    "equated": lambda n: "C677T (" * (n // 7),
    "listed": lambda n: "V600E, " * (n // 7),
    "panels": lambda n: "Fig. S10A, " * (n // 11),
    "words": lambda n: "valine to " * (n // 10),
    "definitions": _definitions,
}


def _agree(text: str) -> object:
    spans = (Span(*match.span()) for match in TOKEN.finditer(text))
    return agree([Tagged(span, "Gene", 0.99) for span in spans], text)


def _link(text: str) -> object:
    variants = tuple(Mention((span,), type="Variant") for span in find_variants(text))
    return VariantLinker(untyped=True, top=5)(Document("", text, mentions=variants))


STEPS: dict[str, Callable[[str], object]] = {
    "find variants": lambda text: list(find_variants(text)),
    "merge variants": lambda text: with_written((), written_variants(text, ()), text),
    "link variants": _link,
    "split sentences": split_sentences,
    "find abbreviations": find_abbreviations,
    "find short forms": lambda text: list(occurrences(text, long_forms(text))),
    "agree": _agree,
}
SMALL, TIMES = 4_000, 8


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("text", ODD)
def test_no_step_takes_quadratic_time(step: str, text: str) -> None:
    """Eight times the text takes about eight times as long; quadratic, it would be 64 times."""
    work, make = STEPS[step], ODD[text]
    assert _seconds(work, make(SMALL * TIMES)) < 4 * TIMES * max(0.002, _seconds(work, make(SMALL)))


def _seconds(work: Callable[[str], object], text: str) -> float:
    """Of the processor, the best of three: other processes make it slower, never faster."""
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        work(text)
        best = min(best, time.process_time() - start)
    return best


def test_a_megabyte_without_a_space_is_linked(kb: KnowledgeBase) -> None:
    assert holdfast.load(kb)("ab1" * 350_000).mentions == ()
