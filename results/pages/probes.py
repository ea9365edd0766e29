"""What `holdfast probe` measured, as tables with the ResCNN paper's figures beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import mean
from typing import Final

from pages.markdown import Result, markdown_table, percent

_TITLES: Final = {
    "word-order": "Word order: tokens of mentions and names shuffled, after training in order",
    "attention-window": "Attention window: limited when linking, after training with all of it",
}
_COLUMNS: Final = ("linker", "setting", "accuracy@1", "change", "paper, dev", "paper, test")
_AS_IS: Final = "as it is"  # the setting that changes nothing

_EMBEDDING_TITLE: Final = (
    "Token embeddings of ResCNN: where they start from, before all are trained"
)
_EMBEDDING_COLUMNS: Final = ("stage", "token embeddings", "dev", "accuracy@1", "new", "difference")
_EMBEDDING_NOTE: Final = (
    "Accuracy at 1 of the dense encoder alone: the mean over seeds, and each seed in brackets; "
    "under new, of mentions that equal no name of the dictionary. Differences are to MiniLM's "
    "on the same mentions and seeds, in points, with 95 % bootstrap intervals over documents."
)
_CORPORA: Final = {"ncbi-disease": "NCBI", "bc5cdr-disease": "BC5CDR"}


def probe_section(measured: Result) -> list[str]:
    """The section of a probe that spoils a linker's input or its sight."""
    caption = f"{_TITLES[measured['probe']]}. {_probe_caption(measured)}"
    table = markdown_table(_COLUMNS, _probe_rows(measured))
    return [f"## probe {measured['probe']}", "", caption, "", *table, "", measured["differs"]]


def embedding_section(measured: Result) -> list[str]:
    """The section of the comparison of token embeddings."""
    caption = f"{_EMBEDDING_TITLE}. {_embedding_caption(measured)}"
    table = markdown_table(_EMBEDDING_COLUMNS, _embedding_rows(measured))
    return [f"## probe {measured['comparison']}", "", caption, "", *table, "", _EMBEDDING_NOTE]


def _probe_rows(measured: Result) -> Iterator[tuple[str, ...]]:
    for row in measured["rows"]:
        low, high = percent(row["accuracy_at_1_low"]), percent(row["accuracy_at_1_high"])
        yield (
            row["linker"],
            row["setting"],
            f"{percent(row['accuracy_at_1'])} [{low}, {high}]",
            "" if row["setting"] == _AS_IS else f"{100 * row['change']:+.1f} %",
            *(
                "" if row[column] is None else percent(row[column])
                for column in ("paper_dev", "paper_test")
            ),
        )


def _probe_caption(measured: Result) -> str:
    return (
        f"NCBI-disease {measured['split']}, lenient, {measured['n_scored']:,} mentions against "
        f"{measured['dictionary_names']:,} names; trained on {measured['training_pairs']:,} "
        f"mentions of train for {measured['steps']} steps, seed {measured['seed']}."
    )


def _embedding_rows(measured: Result) -> Iterator[tuple[str, ...]]:
    """A row for each stage, corpus and kind of embeddings, in the order of the JSON."""
    gains = {(g["stage"], g["embeddings"], g["corpus"]): g for g in measured["differences"]}
    for stage in dict.fromkeys(row["stage"] for row in measured["rows"]):
        for corpus, name in _CORPORA.items():
            for start in dict.fromkeys(row["embeddings"] for row in measured["rows"]):
                figures = [
                    row[corpus]
                    for row in measured["rows"]
                    if (row["stage"], row["embeddings"]) == (stage, start)
                ]
                gain = gains.get((stage, start, corpus))
                yield (
                    stage,
                    start,
                    name,
                    _mean_and_each([figure["accuracy_at_1"] for figure in figures]),
                    percent(mean(figure["accuracy_at_1_new"] for figure in figures)),
                    _gain(gain) if gain else "",
                )


def _embedding_caption(measured: Result) -> str:
    scored = " and ".join(
        f"{measured['n_scored'][corpus]:,} mentions of {name} dev "
        f"({measured['n_new'][corpus]:,} of them new)"
        for corpus, name in _CORPORA.items()
    )
    return (
        f"Lenient, {scored}; {measured['align_steps']} steps of pre-alignment on "
        f"{measured['names']:,} names, {measured['tune_steps']} of fine-tuning on "
        f"{measured['training_mentions']:,} names used in both train splits, {measured['seeds']} "
        f"seeds. Our own are made from {measured['texts']:,} titles and abstracts and know "
        f"{measured['pieces_in_texts']:,} of {measured['pieces']:,} word pieces."
    )


def _mean_and_each(values: Sequence[float]) -> str:
    each = ", ".join(map(percent, values))
    return f"{percent(mean(values))} ({each})" if len(values) > 1 else each


def _gain(row: Result) -> str:
    value, low, high = (f"{100 * row[key]:+.1f}" for key in ("difference", "low", "high"))
    return f"{value} [{low}, {high}]"
