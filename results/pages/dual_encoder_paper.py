"""The tables of the dual-encoder paper: what was measured here, the paper's figures in brackets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pages.dual_encoder_speed import SPEED, speed_lines
from pages.markdown import Result, markdown_table, percent, with_interval

INTRODUCTION: Final = (
    "MiniLM where the paper has BioBERT, five times as large; what the paper reports is in "
    "round brackets. Figures are over the mentions whose entity is in the knowledge base. So "
    "are the paper's of given mentions, it seems: on BC5CDR its recall at 10 is a little "
    "above the share of mentions that have one here, though its count of mentions is of all. "
    "What says “of all” is over every "
    "mention, “normalised” over those whose entity is among the candidates; over which the "
    "paper's found mentions are, it does not say. †: the answer is always among the "
    "candidates. Dual encoders learn from random and hard negatives, on MedMentions and in "
    "one pass from all entities, unless a row says random ones. What begins with what: one "
    "pass with the encoder of the detector, which nine corpora taught (without any evaluated "
    "document), and with the entity encoder of the collective row; all dual encoders of "
    "MedMentions with those of BC5CDR. Cross-encoders, BLINK's too, had 800 steps of four "
    "mentions with four candidates each, and read 16 tokens to each side: they show what pairs "
    "cost, not what they can do. MedType was not run."
)

# Words for a row, and the recipe that measured it; "{}" is the corpus.
_RANKING: Final = (
    ("BM25", "bm25-{}"),
    ("cross-encoder over BM25", "cross-{}"),
    ("cross-encoder, the gold entity added †", "cross-{}-gold-added"),
    ("BLINK", "blink-{}"),
    ("one mention, random negatives", "single-{}-random-negatives"),
    ("one mention", "single-{}"),
    ("collective, random negatives", "collective-{}-random-negatives"),
    ("collective", "collective-{}"),
    ("collective, in 8 bits", "collective-{}-int8"),
    ("collective, on a small ResCNN", "collective-{}-rescnn"),
    ("collective, over all of MeSH, in 8 bits", "collective-{}-mesh"),
    ("collective with the name linker, over all of MeSH, in 8 bits", "joined-{}-mesh"),
)
_FOUND: Final = (
    ("collective, BIO tags", "collective-{}-end-to-end-bio"),
    ("collective, exhaustive spans", "collective-{}-end-to-end-spans"),
    ("collective, BIO tags, over all of MeSH, in 8 bits", "collective-{}-end-to-end-bio-mesh"),
    (
        "collective, exhaustive spans, over all of MeSH, in 8 bits",
        "collective-{}-end-to-end-spans-mesh",
    ),
    (
        "exhaustive spans, then scispaCy's candidates (the paper: its own mentions, over UMLS)",
        "scispacy-{}",
    ),
    ("the default", "strong-{}-default-headings"),
    ("the default, over all of MeSH", "strong-{}-default"),
    ("the dictionary, over all of MeSH", "strong-{}-dictionary"),
)
# How recipes begin or end that the paper has no row for: other systems, or all of MeSH.
_OURS: Final = ("strong-", "joined-")
_OVER_MESH: Final = "-mesh"
_FIGURES: Final = {
    "accuracy_at_1_in_kb": "P@1",
    "map_in_kb": "MAP",
    "recall_at_10_in_kb": "recall@10",
    "accuracy_at_1_normalised": "P@1 normalised",
    "map_normalised": "MAP normalised",
    "accuracy_at_1": "P@1 of all",
}
_OF_PAPER: Final = {  # figures that the paper has under the same name or another
    "accuracy_at_1_in_kb": "accuracy_at_1",
    "map_in_kb": "map",
    "recall_at_10_in_kb": "recall_at_10",
    "accuracy_at_1_normalised": "accuracy_at_1_normalised",
    "map_normalised": "map_normalised",
}
_FOUND_FIGURES: Final = (
    "strong P of all",
    "R of all",
    "F1 of all",
    "F1",
    "partial F1 of all",
    "partial F1",
    "mentions F1 of all",
)
_QUOTED: Final = {  # of MedType, which was not run here: the paper's strong P, R and F1, partial F1
    "bc5cdr": (0.153, 0.51, 0.235, 0.257),
    "medmentions": (0.412, 0.4, 0.406, 0.444),
}
_NAMES_ALONE: Final = "accuracy_at_1_of_names"  # in the result of two linkers together
_RERANKED: Final = ("cross", "blink")  # what has candidates to normalise by
_CORPORA: Final = {
    "bc5cdr": "BC5CDR test, 29,054 headings unless it says otherwise",
    "medmentions": "MedMentions ST21pv test, rebuilt: not the paper's corpus nor its names",
}


def collective_tables(results: Mapping[str, Result]) -> list[str]:
    """Lines of Markdown: for each corpus gold mentions, then mentions that are found."""
    lines = list[str]()
    for corpus, words in _CORPORA.items():
        given = _rows(results, _RANKING, corpus)
        if given:
            table = markdown_table(
                ("given mentions", *_FIGURES.values()),
                (row for what, r in given for row in _ranked_rows(what, r)),
            )
            lines += ["", f"### {words}", "", *table]
        found = _rows(results, _FOUND, corpus)
        if found:
            header = ("found and linked", *_FOUND_FIGURES)
            rows = [(what, *_end_to_end(r)) for what, r in found]
            table = markdown_table(
                header, [*rows, ("MedType (the paper's)", *_quoted(_QUOTED[corpus]))]
            )
            lines += ["", *table]
    for corpus in SPEED:
        if measured := results.get(f"bench-collective-{corpus}"):
            lines += ["", f"### How fast: {corpus}", "", *speed_lines(measured)]
    return lines


def _rows(
    results: Mapping[str, Result], rows: Sequence[tuple[str, str]], corpus: str
) -> list[tuple[str, Result]]:
    """With what was measured over fewer documents than the others saying so."""
    named = [(words, results.get(name.format(corpus))) for words, name in rows]
    found = [(words, result) for words, result in named if result is not None]
    most = max((result["n_documents"] for _, result in found), default=0)
    return [
        (words if r["n_documents"] == most else f"{words} ({r['n_documents']:,} documents)", r)
        for words, r in found
    ]


def _ranked_rows(what: str, result: Result) -> Iterator[tuple[str, ...]]:
    """The row of a result; before that of two linkers together, the name linker's alone."""
    if _NAMES_ALONE in result:
        blank = [""] * (len(_FIGURES) - 1)
        yield ("the name linker alone, over all of MeSH", *blank, percent(result[_NAMES_ALONE]))
    yield (what, *(_ranked(result, key) for key in _FIGURES))


def _ranked(result: Result, key: str) -> str:
    is_without = key.endswith("_normalised") and not result["recipe"].startswith(_RERANKED)
    if is_without or key not in result:
        return ""
    return _beside(result, key, _of_paper(result, _OF_PAPER.get(key, "")))


def _end_to_end(result: Result) -> tuple[str, ...]:
    also = {report["protocol"]: report for report in result["also"]}
    return (
        percent(result["precision"]),
        percent(result["recall"]),
        *_of_all_and_in_kb(result, _of_paper(result, "f1")),
        *_of_all_and_in_kb(also["partial"], _of_paper(result, "f1", is_partial=True)),
        percent(also["mention"]["f1"]) if "mention" in also else "",
    )


def _quoted(figures: tuple[float, float, float, float]) -> tuple[str, ...]:
    precision, recall, strong, partial = (f"({percent(figure)})" for figure in figures)
    return precision, recall, strong, "", partial, "", ""


def _of_all_and_in_kb(report: Result, paper: float | None) -> tuple[str, str]:
    return (
        _beside(report, "f1", paper),
        _beside(report, "f1_in_kb", paper) if "f1_in_kb" in report else "",
    )


def _of_paper(result: Result, key: str, *, is_partial: bool = False) -> float | None:
    """What the paper has in the same place, if it has."""
    if result["recipe"].startswith(_OURS) or result["recipe"].endswith(_OVER_MESH):
        return None
    wanted = (r for r in result["references"] if r["by"].endswith("partial") is is_partial)
    return next((r[key] for r in wanted if key in r), None)


def _beside(result: Result, key: str, paper: float | None) -> str:
    """Ours with its interval, and the paper's figure."""
    own = with_interval(result, key)
    return own if paper is None else f"{own} ({percent(paper)})"
