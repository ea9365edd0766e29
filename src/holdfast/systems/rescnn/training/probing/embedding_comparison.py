"""Token embeddings for ResCNN: MiniLM's, learned from nothing, or our own. Which to start from?

The same short training for each: pre-alignment on the names of a dictionary of diseases, then
fine-tuning on what two train splits call them. Nothing but the first values of the token
embeddings differs: batches, steps and the network's other weights are the seed's.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor

from holdfast import artifacts
from holdfast.corpora.named.biosyn import (
    LenientMention,
    LenientName,
    read_lenient_dictionary,
    read_lenient_mentions,
)
from holdfast.encoders.names import plain
from holdfast.errors import UsageError
from holdfast.evaluate.gold_mentions import LenientCase, score_lenient
from holdfast.progress import Progress
from holdfast.systems.rescnn.training.corpus import lenient_groups
from holdfast.systems.rescnn.training.lenient import lenient_cases
from holdfast.systems.rescnn.training.probing.differences import (
    CORPORA,
    LEARNED,
    MINILM,
    OWN,
    STAGES,
    difference,
)
from holdfast.systems.rescnn.training.probing.embedding_training import (
    ComparisonConfig,
    Training,
)
from holdfast.systems.rescnn.training.probing.linkers import WEIGHTS, digests
from holdfast.systems.rescnn.training.probing.own_embeddings import (
    OwnEmbeddingsConfig,
    own_embeddings,
)
from holdfast.systems.rescnn.training.synonyms import Group
from holdfast.systems.rescnn.training.train import Encode, Vectors
from holdfast.systems.rescnn.training.vocabulary import pretrained_embeddings

Cases = dict[str, list[LenientCase]]
"""Of each corpus."""

_FOLDERS: Final = {
    "ncbi-disease": "corpora/ncbi_disease/biosyn",
    "bc5cdr-disease": "corpora/bc5cdr/biosyn_disease",
}


@dataclass(frozen=True, slots=True)
class ComparisonTask:
    """What is linked: a development split and its dictionary."""

    mentions: list[LenientMention]
    dictionary: list[LenientName]

    def is_new(self) -> list[bool]:
        """Of each mention, whether a part of it equals no name of the dictionary."""
        known = {plain(line.name) for line in self.dictionary}
        return [any(plain(part) not in known for part in m.parts) for m in self.mentions]


def compare_embeddings(
    config: ComparisonConfig,
    *,
    data: Path,
    encoder: Path,  # a pretrained encoder: MiniLM
    tokenizer: Path,  # the word pieces that are embedded
    texts: Iterable[str],  # what our own embeddings are made from
    work: Path,  # checkpoints; a run that was killed goes on from there
    progress: Progress,
) -> dict[str, Any]:
    """Train each kind with each seed unless `work` has it, and measure both stages on dev."""
    if not data.is_dir():
        raise UsageError(f"{data}: no such data folder; name it with --data or HOLDFAST_DATA")
    tasks = {corpus: _task(data / _FOLDERS[corpus]) for corpus in CORPORA}
    groups = _groups(data, tasks)
    pieces = Tokenizer.from_file(str(tokenizer))
    pretrained = pretrained_embeddings(encoder, pieces)
    progress("embedding word pieces", 0.0)
    counted, making = _Counted(texts), OwnEmbeddingsConfig(width=pretrained.shape[1])
    own = own_embeddings(pieces, counted, making)
    trainings = [
        Training(start, seed, table / table.std(), pieces, config)
        for seed in range(config.seeds)
        for start, table in _tables(pretrained, torch.from_numpy(own), seed=seed).items()
    ]
    return {
        "comparison": "embeddings",
        "protocol": "lenient",
        "split": "dev",
        **asdict(config),
        **_described(groups, tasks),
        "texts": counted.number,
        "pieces": len(own),
        "pieces_in_texts": int(own.any(axis=1).sum()),
        "own_embeddings": asdict(making),
        **_measure(trainings, groups, tasks, work=work, progress=progress),
        "data_sha256": {c: digests(data / _FOLDERS[c], "train", "dev") for c in CORPORA},
        "encoder_sha256": artifacts.sha256_of(encoder / WEIGHTS),
        "tokenizer_sha256": artifacts.sha256_of(tokenizer),
    }


def _task(folder: Path) -> ComparisonTask:
    return ComparisonTask(
        list(read_lenient_mentions(folder / "dev.concept.tsv")),
        list(read_lenient_dictionary(folder / "dev_dictionary.txt")),
    )


def _groups(data: Path, tasks: Mapping[str, ComparisonTask]) -> list[Group]:
    """The dictionary's diseases, as both train splits call them; no document of dev takes part."""
    held_out = {mention.document_id for task in tasks.values() for mention in task.mentions}
    used = [
        mention
        for folder in _FOLDERS.values()
        for mention in read_lenient_mentions(data / folder / "train.concept.tsv")
        if mention.document_id not in held_out
    ]
    # The dictionaries of both train splits are one and the same.
    dictionary = data / _FOLDERS["ncbi-disease"] / "train_dictionary.txt"
    return lenient_groups(read_lenient_dictionary(dictionary), used)


def _tables(pretrained: Tensor, own: Tensor, *, seed: int) -> dict[str, Tensor]:
    """The token embeddings that training starts from."""
    drawn = torch.randn(*pretrained.shape, generator=torch.Generator().manual_seed(seed))
    return {MINILM: pretrained, LEARNED: drawn, OWN: own}


def _described(groups: Sequence[Group], tasks: Mapping[str, ComparisonTask]) -> dict[str, Any]:
    return {
        "names": sum(len(group.names) for group in groups),
        "training_mentions": sum(len(group.mentions) for group in groups),
        "n_scored": {corpus: len(task.mentions) for corpus, task in tasks.items()},
        "n_new": {corpus: sum(task.is_new()) for corpus, task in tasks.items()},
    }


def _measure(
    trainings: Sequence[Training],
    groups: Sequence[Group],
    tasks: Mapping[str, ComparisonTask],
    *,
    work: Path,
    progress: Progress,
) -> dict[str, Any]:
    found = defaultdict[tuple[str, str], list[Cases]](list)
    rows = list[dict[str, Any]]()
    for number, training in enumerate(trainings):
        share = _share(progress, number, len(trainings))
        for trained in training.stages(groups, work=work, progress=share):
            cases = _link(trained.encode, tasks)
            found[trained.stage, training.start].append(cases)
            rows.append(
                {
                    "embeddings": training.start,
                    "seed": training.seed,
                    "stage": trained.stage,
                    **_figures(cases, tasks),
                    "losses": trained.losses,
                }
            )
    return {"rows": rows, "differences": list(_differences(found))}


def _link(encode: Encode, tasks: Mapping[str, ComparisonTask]) -> Cases:
    """The dictionaries share nearly all their names: each is encoded once."""
    known: dict[str, Vectors] = {}

    def once(names: Sequence[str]) -> Vectors:
        missing = [name for name in dict.fromkeys(names) if name not in known]
        known.update(zip(missing, encode(missing), strict=True))
        return np.stack([known[name] for name in names])

    return {
        corpus: lenient_cases(once, task.mentions, task.dictionary)
        for corpus, task in tasks.items()
    }


def _figures(cases: Cases, tasks: Mapping[str, ComparisonTask]) -> dict[str, dict[str, float]]:
    """Of each corpus, fractions in [0, 1]."""
    figures = {}
    for corpus, task in tasks.items():
        every = score_lenient(cases[corpus]).figures["accuracy_at_1"]
        new = [case for case, new in zip(cases[corpus], task.is_new(), strict=True) if new]
        figures[corpus] = {
            "accuracy_at_1": every.value,
            "accuracy_at_1_low": every.low,
            "accuracy_at_1_high": every.high,
            "accuracy_at_1_new": score_lenient(new, resamples=1)["accuracy_at_1"],
        }
    return figures


def _differences(found: Mapping[tuple[str, str], list[Cases]]) -> Iterator[dict[str, Any]]:
    """Of each other kind to MiniLM's, over all seeds."""
    for stage in STAGES:
        for start in (LEARNED, OWN):
            for corpus in CORPORA:
                ours, theirs = (
                    [cases[corpus] for cases in found[stage, kind]] for kind in (start, MINILM)
                )
                gain = difference(ours, theirs)
                yield {
                    "stage": stage,
                    "embeddings": start,
                    "corpus": corpus,
                    "difference": gain.value,
                    "low": gain.low,
                    "high": gain.high,
                }


def _share(progress: Progress, number: int, count: int) -> Progress:
    return lambda what, done: progress(what, (number + done) / count)


class _Counted:
    """Texts, and how many of them were read."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = texts
        self.number = 0

    def __iter__(self) -> Iterator[str]:
        for text in self._texts:
            self.number += 1
            yield text
