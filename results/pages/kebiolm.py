"""What was measured of KeBioLM: vectors of entities, encoders fine-tuned alike, probing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final

import numpy as np

from holdfast.training.history import panels_of
from holdfast.training.line_plot import draw_panels
from pages.markdown import Result, markdown_table, percent, with_interval

LINK_PREDICTION: Final = "link-prediction"
FINE_TUNED: Final = "fine-tuned"
PRE_TRAINING: Final = "pre-training"
PROTOCOLS: Final = (LINK_PREDICTION, FINE_TUNED, PRE_TRAINING)
PROBE: Final = "knowledge"
_SCORERS: Final = {"": "TransE", "_random": "a random order", "_frequency": "by frequency"}
_OF_PAPER: Final[Mapping[str, Mapping[str, float]]] = {
    "bc5-chem": {"minilm": 93.3},
    "bc5-disease": {"minilm": 85.6},
    "ncbi": {
        "minilm": 87.8,
        "kebiolm_short_words": 88.4,
        "kebiolm_short_random": 88.8,
        "kebiolm_short_frozen": 88.3,
        "kebiolm_short_2_4": 88.5,
        "kebiolm_short_6_0": 88.4,
    },
    "bc2gm": {"minilm": 84.5},
    "chemprot": {"minilm": 77.2},
    "ddi": {"minilm": 82.4},
    "gad": {
        "minilm": 82.3,
        "kebiolm_short_words": 83.1,
        "kebiolm_short_random": 82.3,
        "kebiolm_short_frozen": 82.8,
        "kebiolm_short_2_4": 82.9,
        "kebiolm_short_6_0": 83.2,
    },
}
"""F1 that the paper reports, by task and encoder: PubMedBERT for ours as it is, and ablations."""
_EXAMPLES: Final = 12  # of probing that are shown
_DRAWS: Final = 1000
_FULL: Final = "-full"
_ABLATIONS: Final = "-ablations"


def kebiolm_section(results: Mapping[str, Result]) -> list[str]:
    """A table for the vectors, for each group of comparisons and for probing; empty without any."""
    lines = list[str]()
    for result in (r for r in results.values() if r.get("protocol") == LINK_PREDICTION):
        lines += ["", f"### {result['title']}", "", *_vectors(result)]
    if learned := [r for r in results.values() if r.get("protocol") == PRE_TRAINING]:
        lines += ["", "### Pre-training", "", *_pretraining(learned)]
    tuned = [r for r in results.values() if r.get("protocol") == FINE_TUNED]
    full = [r for r in tuned if r["recipe"].endswith(_FULL)]
    ablated = [r for r in tuned if r["recipe"].endswith(_ABLATIONS)]
    equal = [r for r in tuned if r not in full and r not in ablated]
    for title, group in (
        ("Fine-tuned at equal cost (table 2 of the paper)", equal),
        ("Ablations, fine-tuned at equal cost (tables 3 and 4)", ablated),
        ("Fine-tuned on all training sentences", full),
    ):
        if group:
            lines += ["", f"### {title}", "", *_comparisons(group)]
    if probed := [r for r in results.values() if r.get("probe") == PROBE]:
        lines += ["", "### Knowledge probing", "", *_probing(probed)]
    return ["## KeBioLM: a language model that reads the knowledge base", *lines] if lines else []


def _vectors(result: Result) -> Iterator[str]:
    """Ranks of held-out triples beside what needs no learning."""
    yield (
        f"The missing end of {result['n_scored']:,} held-out questions among "
        f"{result['n_entities']:,} entities, other right answers aside; learned from "
        f"{result['n_training_triples']:,} triples of {result['n_relations']} relations."
    )
    yield ""
    header = ("answers", "mean reciprocal rank", "hits at 10")
    rows = (
        (words, _share(result, f"mrr{suffix}"), with_interval(result, f"hits_at_10{suffix}"))
        for suffix, words in _SCORERS.items()
    )
    yield from markdown_table(header, rows)


def _share(result: Result, key: str) -> str:
    low, high = result[f"{key}_low"], result[f"{key}_high"]
    return f"**{result[key]:.3f}** [{low:.3f}, {high:.3f}]"


def _pretraining(group: Sequence[Result]) -> Iterator[str]:
    """Figures on held-out text before the first step and after the last, and the curves."""
    yield (
        "On held-out text, before the first step → after the last. Masked: the loss of hidden "
        "words, where no model is told of mentions; detection: F1 of mentions; linking: the loss "
        "over all entities, and the share of right ones."
    )
    yield ""
    keys = ("bare_masked_loss", "detection_f1", "linking_loss", "linking_accuracy")
    header = ("model", "tokens", "masked", "detection", "linking loss", "right links")
    rows = (
        (f"`{r['recipe']}`", f"{r['tokens']:,}", *(_change(r, key) for key in keys)) for r in group
    )
    yield from markdown_table(header, rows)
    for result in group:
        yield from ("", f"![{result['title']}]({result['recipe']}.svg)")


def draw_pretraining(result: Result) -> str:
    """The curves of a pre-training run, as SVG."""
    return draw_panels(list(panels_of(result["history"])))


def _change(result: Result, key: str) -> str:
    if key not in result:
        return ""
    show = percent if key in ("detection_f1", "linking_accuracy") else "{:.2f}".format
    return f"{show(result[f'first_{key}'])} → **{show(result[key])}**"


def _comparisons(group: Iterable[Result]) -> Iterator[str]:
    yield (
        "F1 on test: the mean over seeds, with the interval over sentences and, of several seeds, "
        "the deviation (±). The gain is that of the last encoder over this one. The paper's rows: "
        "PubMedBERT beside MiniLM, and its own model and ablations."
    )
    yield ""
    header = ("task", "encoder", "F1", "gain", "the paper")
    yield from markdown_table(header, (row for r in group for row in _encoders(r)))


def _encoders(result: Result) -> Iterator[tuple[str, ...]]:
    """A row for each encoder, in the order in which they were compared."""
    encoders = [
        key.removeprefix("f1_").removesuffix("_low")
        for key in result
        if key.startswith("f1_") and key.endswith("_low")
    ]
    for encoder in encoders:
        figure = with_interval(result, f"f1_{encoder}")
        if f"deviation_{encoder}" in result:
            figure += f" ± {percent(result[f'deviation_{encoder}'])}"
        gain = f"gain_{encoders[-1]}_over_{encoder}"
        own = "; ".join(percent(r["f1"]) for r in result["references"] if "f1" in r)
        of_paper = _OF_PAPER.get(result["task"], {}).get(encoder, "")
        yield (
            result["task"],
            encoder.replace("_", " "),
            figure,
            with_interval(result, gain) if gain in result else "",
            own if encoder == encoders[-1] else str(of_paper),
        )
    if "f1_always_positive" in result:
        yield result["task"], "always yes", percent(result["f1_always_positive"]), "", ""


def _probing(probed: Sequence[Result]) -> Iterator[str]:
    yield (
        "Recall at 5, the mean over relations with at least ten queries. Type 1: the answer's "
        "words occur in the query; type 2: they do not. The paper's best, over UMLS: 3.3."
    )
    yield ""
    keys = ("recall_at_5", "recall_at_5_type_1", "recall_at_5_type_2", "recall_at_5_of_queries")
    header = (
        *("model", "triples", "all", "type 1", "type 2"),
        *("over queries", "queries", "relations"),
    )
    rows = (
        (
            f"`{result['model']}`",
            part,
            *(with_interval(report, key) if key in report else "" for key in keys),
            f"{report['n_scored']:,}",
            str(report["n_relations"]),
        )
        for result in probed
        for part, report in result["parts"].items()
    )
    yield from markdown_table(header, rows)
    for first, second in combinations(probed, 2):
        yield from _gains(first, second)
    yield from ("", f"What `{probed[0]['model']}` says, one query of a relation:", "")
    yield from markdown_table(
        ("query", "a right answer", "the model's"),
        (
            (one["query"], one["gold"], ("✓ " if one["is_right"] else "") + ", ".join(one["said"]))
            for one in probed[0]["examples"][:_EXAMPLES]
        ),
    )


def _gains(first: Result, second: Result) -> Iterator[str]:
    """Of two models that were asked the same, how much more of the queries the first answers."""
    same = ("config", "kb_digest", "vectors_digest")
    if any(first[key] != second[key] for key in same):
        return
    for part, report in first["parts"].items():
        other = second["parts"][part]["right"]
        ours, theirs = (np.array(list(map(int, own))) for own in (report["right"], other))
        gains = ours - theirs
        rng = np.random.default_rng(0)
        drawn = [rng.choice(gains, size=len(gains)).mean() for _ in range(_DRAWS)]
        low, high = np.percentile(drawn, [2.5, 97.5])
        yield ""
        yield (
            f"Over all {len(gains):,} queries, {part.replace('_', ' ')} triples: "
            f"`{first['model']}` over `{second['model']}` **{percent(gains.mean())}** points "
            f"[{percent(low)}, {percent(high)}], query by query."
        )
