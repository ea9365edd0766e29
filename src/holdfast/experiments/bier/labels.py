"""Label classification by the nearest neighbour (k = 1), without fine-tuning.

Neighbours are the mentions of train and dev. What is chosen, which metric and how the switch
decides, is chosen with dev as queries and train as neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast.errors import UsageError
from holdfast.evaluate.intervals import Figure, Ratio
from holdfast.evaluate.report import Report, build_report
from holdfast.experiments.bier.represented import joined_sets, represent_split, some_rows
from holdfast.experiments.bier.trigrams import trigram_neighbours
from holdfast.experiments.outcome import Outcome
from holdfast.experiments.recipe import Recipe
from holdfast.progress import Progress
from holdfast.systems.bier.logistic import fit_logistic
from holdfast.systems.bier.model import TypingModel
from holdfast.systems.bier.nearest import (
    METRICS,
    Metric,
    Nearest,
    encode_labels,
    nearest,
    some_per_class,
)
from holdfast.systems.bier.stored import Represented
from holdfast.systems.bier.switch import DenseSwitch, fit_switch

Bools = npt.NDArray[np.bool_]
PER_CLASS: Final = (5, 10, 25, 50, 75, 100, 200)
SEEDS: Final = 5
FORMS: Final = ("dense", "sparse")


@dataclass(frozen=True, slots=True)
class Splits:
    """The three splits of a labelled corpus, of one model."""

    train: Represented
    dev: Represented
    test: Represented


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """The nearest neighbours of the queries, and whether their label is right."""

    found: Nearest
    right: Bools


def answers(queries: Represented, stored: Represented, *, form: str, metric: Metric) -> Answers:
    """By dense or sparse vectors."""
    codes, names = encode_labels(stored.labels)
    if form == "sparse":
        found = nearest(queries.sparse, stored.sparse, codes, metric=metric)
    else:
        assert queries.dense is not None
        assert stored.dense is not None
        found = nearest(queries.dense, stored.dense, codes, metric=metric)
    labels = [names[code] for code in codes[found.row].tolist()]
    return Answers(found, _are(labels, queries.labels))


@dataclass(frozen=True, slots=True)
class Chosen:
    """What development data says: the metric of each form, the switch and the better form."""

    metrics: Mapping[str, Metric]
    switch: DenseSwitch

    def decide(self, of_form: Mapping[str, Answers]) -> Bools:
        """Whether the switch's answer is right. *Shape:* (queries,)"""
        dense, sparse = of_form["dense"], of_form["sparse"]
        takes = self.switch.takes_dense(dense.found, sparse.found)
        return np.where(takes, dense.right, sparse.right)


def choose(splits: Splits) -> Chosen:
    """With dev as queries and train as neighbours."""
    metrics, best = dict[str, Metric](), dict[str, Answers]()
    for form in FORMS:
        tried = {m: answers(splits.dev, splits.train, form=form, metric=m) for m in METRICS}
        metrics[form] = max(METRICS, key=lambda metric: int(tried[metric].right.sum()))
        best[form] = tried[metrics[form]]
    dense, sparse = best["dense"], best["sparse"]
    switch = fit_switch(dense.found, sparse.found, dense.right, sparse.right)
    return Chosen(metrics, switch)


def run_labels(
    recipe: Recipe, folders: Sequence[Path], *, data: Path, progress: Progress
) -> Outcome:
    """Tables 3 and 5: every form and metric, an untuned encoder, spelling, oracle and switch.

    The first model is measured; the others, if any, stand beside it under their pooling.
    """
    model = TypingModel.open(folders[0])
    splits = load_splits(model, recipe, data=data, progress=progress)
    stored = joined_sets([splits.train, splits.dev])
    columns = _of_model(splits, stored)
    for folder in folders[1:]:
        other = TypingModel.open(folder)
        own = load_splits(other, recipe, data=data, progress=progress)
        both = joined_sets([own.train, own.dev])
        name = f"untuned_{other.config['pooling']}"
        for metric in METRICS:
            found = answers(own.test, both, form="dense", metric=metric)
            columns[f"{name}_{metric}"] = found.right
    places = trigram_neighbours(
        [p.text for p in splits.test.places], [p.text for p in stored.places]
    )
    labels = stored.labels
    columns["trigrams"] = _are([labels[at] for at in places.tolist()], splits.test.labels)
    report = report_of("labels", columns, n_stored=len(stored))
    return Outcome((report,), None, model.digest)


def _of_model(splits: Splits, stored: Represented) -> dict[str, Bools]:
    """Right answers by form and metric, of the chosen forms, of the oracle and the switch."""
    chosen = choose(splits)
    columns, best = dict[str, Bools](), dict[str, Answers]()
    for form in FORMS:
        for metric in METRICS:
            found = answers(splits.test, stored, form=form, metric=metric)
            columns[f"{form}_{metric}"] = found.right
            if metric == chosen.metrics[form]:
                best[form] = found
    columns = {form: best[form].right for form in FORMS} | columns
    columns["oracle"] = best["dense"].right | best["sparse"].right
    columns["switch"] = chosen.decide(best)
    columns["dense_right_sparse_wrong"] = best["dense"].right & ~best["sparse"].right
    return columns


def run_low_supervision(
    recipe: Recipe, folders: Sequence[Path], *, data: Path, progress: Progress
) -> Outcome:
    """Figure 3: accuracy with K mentions of each label, the mean over several draws.

    Neighbours by both forms and by spelling; `frozen`, a linear layer over the dense vectors.
    """
    model = TypingModel.open(folders[0])
    splits = load_splits(model, recipe, data=data, progress=progress)
    metrics = choose(splits).metrics
    whole = joined_sets([splits.train, splits.dev])
    columns = dict[str, npt.NDArray[np.float64]]()
    for step, count in enumerate((*PER_CLASS, 0)):
        progress("low supervision", step / (len(PER_CLASS) + 1))
        for seed in range(SEEDS if count else 1):
            rows = some_per_class(whole.labels, count, seed=seed) if count else range(len(whole))
            drawn = some_rows(whole, list(rows))
            for name, right in _few(splits.test, drawn, metrics).items():
                key = f"{name}_{count or 'all'}"
                share = right.astype(np.float64) / (SEEDS if count else 1)
                columns[key] = columns.get(key, np.zeros(len(right))) + share
    return Outcome((report_of("low-supervision", columns, seeds=SEEDS),), None, model.digest)


def _few(
    queries: Represented, stored: Represented, metrics: Mapping[str, Metric]
) -> dict[str, Bools]:
    found = {
        form: answers(queries, stored, form=form, metric=metrics[form]).right for form in FORMS
    }
    places = trigram_neighbours([p.text for p in queries.places], [p.text for p in stored.places])
    own = stored.labels
    found["trigrams"] = _are([own[at] for at in places.tolist()], queries.labels)
    codes, names = encode_labels(own)
    assert queries.dense is not None
    assert stored.dense is not None
    classifier = fit_logistic(stored.dense, codes, count=len(names))
    guessed = classifier.probabilities(queries.dense).argmax(axis=1)
    found["frozen"] = _are([names[code] for code in guessed.tolist()], queries.labels)
    return found


def run_classifier(
    recipe: Recipe, folders: Sequence[Path], *, data: Path, progress: Progress
) -> Outcome:
    """A trained label classifier: its most probable label (table 4)."""
    model = TypingModel.open(folders[0])
    measured = recipe.measured
    found = represent_split(model, measured.corpus, measured.split, data=data, progress=progress)
    names = model.types.names
    guessed = [names[type] for type in found.sparse.types[:, 0].tolist()]
    columns = {"accuracy": _are(guessed, found.labels)}
    return Outcome((report_of("label-classifier", columns),), None, model.digest)


def load_splits(model: TypingModel, recipe: Recipe, *, data: Path, progress: Progress) -> Splits:
    """The corpus that the recipe measures on, whose other splits are the neighbours."""
    corpus = recipe.measured.corpus
    if recipe.measured.split != "test":
        raise UsageError(
            f"recipe {recipe.name!r}: the split is test, with train and dev as neighbours"
        )
    train, dev, test = (
        represent_split(model, corpus, split, data=data, progress=progress)
        for split in ("train", "dev", recipe.measured.split)
    )
    return Splits(train, dev, test)


def _are(labels: Sequence[str], gold: Sequence[str]) -> Bools:
    return np.array([a == b for a, b in zip(labels, gold, strict=True)], dtype=bool)


def report_of(
    protocol: str, columns: Mapping[str, npt.NDArray[np.generic]], **context: int
) -> Report:
    """A figure for each column of right answers, over the same mentions."""
    names = list(columns)
    table = np.stack([np.asarray(columns[name], dtype=np.float64) for name in names], axis=1)
    rows = [{**dict(zip(names, row, strict=True)), "n": 1.0} for row in table.tolist()]
    figures: dict[str, Figure] = {name: Ratio(name, "n") for name in names}
    report = build_report(
        protocol, rows, figures, counts={"n_scored": len(rows)}, left_out={}, unit="mention"
    )
    return report.with_context(**context)
