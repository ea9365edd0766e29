"""What was measured of BIER: labels by neighbours, few labelled mentions, disambiguation."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from holdfast.artifacts import MANIFEST
from holdfast.model_store import CHECKOUT
from holdfast.training.line_plot import Line, Panel, draw_panels
from pages.markdown import Result, markdown_table, percent, with_interval

PROTOCOLS: Final = ("labels", "low-supervision", "label-classifier", "disambiguation")
LOW: Final = "bier-low-supervision"
TYPING_MODEL: Final = "bier-open-int8"
_COUNTS: Final = (5, 10, 25, 50, 75, 100, 200)
_CLASSIFIER: Final = "bier-classifier-{}-{}"
_STARTS: Final = (("bier", "typing model"), ("untuned", "untuned encoder"))
_TUNED: Final = {start: _CLASSIFIER.format(start, "tuned-{}") for start, _ in _STARTS}
_CURVES: Final = ("sparse", "dense", "trigrams", "frozen")


def bier_section(results: Mapping[str, Result]) -> list[str]:
    """A table for each recipe with its figures, the paper's beside them; empty without any."""
    lines = list[str]()
    for stem, result in results.items():
        if "types_of" in result:
            lines += ["", *_type_system(stem, result)]
            lines += ["", *_typing_model(result["type_system_digest"])]
    for result in results.values():
        if result.get("protocol") in ("labels", "disambiguation"):
            lines += ["", f"### {result['title']}", "", f"`{result['recipe']}`", ""]
            lines += markdown_table(("figure", "ours", "beside"), list(_figures(result)))
    if rows := list(_classifier_rows(results)):
        lines += ["", "### Cancer Genetics, labels: classifiers over all of train", ""]
        lines += markdown_table(("classifier", "accuracy", "beside"), rows)
    if low := results.get(LOW):
        lines += ["", f"### {low['title']}", "", f"![accuracy over K]({LOW}.svg)", ""]
        lines += markdown_table(
            ("K", *_CURVES, *(f"fine-tuned, {words}" for _, words in _STARTS)),
            list(_low_rows(low, results)),
        )
    return ["## BIER: representations one can read", *lines] if lines else []


def _type_system(stem: str, counted: Result) -> Iterator[str]:
    """What a type system was built from, and what people said of a sample of it."""
    yield f"### The type system `{counted['types_of']}`"
    yield ""
    yield (
        f"{counted['types']:,} types and {counted['triples']:,} triples of "
        f"{counted['documents']:,} documents. {counted['mentions']:,} mentions were found, and "
        f"{counted['mentions_that_pass']:,} have a concept that passes the filter: several for "
        f"{counted['several_concepts']:,} of them; equivalents were joined for "
        f"{counted['with_equivalents']:,}."
    )
    if judged := counted.get("judged"):
        yield ""
        yield (
            f"Of {sum(judged.values())} random triples, judged by eye, {judged['right']} are "
            f"right; of {judged['partly']} the concept is right and a type is false of what is "
            f"meant; {judged['wrong']} are wrong ([all of them, with reasons]({stem}-sample.tsv))."
        )


def _typing_model(type_system: str) -> Iterator[str]:
    """The development figures of the typing model that is given out.

    Nothing if it learned from another type system than the one with this digest.
    """
    path = CHECKOUT / TYPING_MODEL / MANIFEST
    config: dict[str, Any] = {}
    if path.exists():
        config = json.loads(path.read_text(encoding="utf-8"))["config"]
    if config.get("type_system") != type_system:
        return
    yield (
        f"`{TYPING_MODEL}` learned from {config['n_training']:,} of these triples and was chosen "
        f"by {config['n_development']:,} of other documents, in 32 bits:"
    )
    yield ""
    figures = [(words, percent(figure)) for words, figure in config["results"].items()]
    yield from markdown_table(("figure", "ours"), figures)


def _figures(result: Result) -> Iterator[tuple[str, str, str]]:
    names = [key.removesuffix("_low") for key in result if key.endswith("_low")]
    for name in names:
        beside = "; ".join(
            f"{percent(r[name])} {r['by']}" for r in result["references"] if name in r
        )
        yield name.replace("_", " "), with_interval(result, name), beside


def _low_rows(low: Result, results: Mapping[str, Result]) -> Iterator[tuple[str, ...]]:
    for count in (*_COUNTS, "all"):
        cells = [percent(low[f"{curve}_{count}"]) for curve in _CURVES]
        for recipe in _TUNED.values():
            stem = recipe.format(count) if count != "all" else recipe.removesuffix("-{}")
            cells.append(percent(results[stem]["accuracy"]) if stem in results else "")
        yield str(count), *cells


def _classifier_rows(results: Mapping[str, Result]) -> Iterator[tuple[str, str, str]]:
    """Table 4 of the paper: a linear layer over frozen vectors, and all of it trained."""
    for start, words in _STARTS:
        for way, told in (("frozen", "frozen"), ("tuned", "fine-tuned")):
            if found := results.get(_CLASSIFIER.format(start, way)):
                ((_, ours, beside),) = _figures(found)
                yield f"{words}, {told}", ours, beside


def draw_low_supervision(results: Mapping[str, Result]) -> str:
    """Figure 3 of the paper: accuracy over the number of labelled mentions of each label."""
    low = results[LOW]

    def line(curve: str, words: str) -> Line:
        return Line(tuple((float(k), 100 * low[f"{curve}_{k}"]) for k in _COUNTS), words)

    nearest = [line("sparse", "sparse"), line("dense", "dense"), line("trigrams", "trigrams")]
    learned = [line("frozen", "frozen typing model")]
    for start, words in _STARTS:
        tuned = [(k, results.get(_TUNED[start].format(k))) for k in _COUNTS]
        points = tuple((float(k), 100 * found["accuracy"]) for k, found in tuned if found)
        if points:
            learned.append(Line(points, f"fine-tuned {words}"))
    return draw_panels(
        [
            Panel(title, "mentions of each label", "accuracy, %", tuple(lines), is_linear=True)
            for title, lines in (
                ("labels of the nearest neighbour", nearest),
                ("labels of a classifier", learned),
            )
        ]
    )
