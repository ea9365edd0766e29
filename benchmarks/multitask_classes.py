"""Trains a multi-task model over tens of thousands of made-up entities, to see its time and memory.

    python benchmarks/multitask_classes.py 35000 results/bench-multitask-classes.json

Needs the extra `train` and the package of MiniLM. Each entity is a class with one mention of its
own, and some are mentioned again; texts are random words.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np

from holdfast.bench.processes import read_memory
from holdfast.document import Document, Mention, Span
from holdfast.experiments.results import circumstances, write_result
from holdfast.systems.multitask.model import MultitaskModel
from holdfast.systems.multitask.training.fit import (
    MultitaskData,
    MultitaskSettings,
    train_on_documents,
)
from holdfast.systems.multitask.training.train import MultitaskTraining

STEPS: Final = 60
MENTIONS: Final = 40  # of a document
REPEATED: Final = 0.2  # share of the mentions whose entity has another one
SYLLABLES: Final = [a + b for a in "bcdfglmnprstvz" for b in "aeiou"]


def documents(classes: int) -> Iterator[Document]:
    """Each class once, and as many again as the share says. Every fourth word is a mention."""
    random = np.random.default_rng(13)
    again = random.integers(0, classes, size=round(classes * REPEATED / (1 - REPEATED)))
    numbers = random.permutation(np.concatenate([np.arange(classes), again]))
    for number, start in enumerate(range(0, len(numbers), MENTIONS)):
        words, mentions = list[str](), list[Mention]()
        length = 0
        for entity in numbers[start : start + MENTIONS].tolist():
            for _ in range(3):
                words.append(_word(random, 2))
                length += len(words[-1]) + 1
            words.append(_word(np.random.default_rng([1, entity]), 4))
            mentions.append(
                Mention(
                    (Span(length, length + len(words[-1])),), type="Disease", ids=(f"X:{entity}",)
                )
            )
            length += len(words[-1]) + 1
            if random.random() < 0.2:
                words[-1] += "."
                length += 1
        yield Document(str(number), " ".join(words), mentions=tuple(mentions))


def _word(random: np.random.Generator, syllables: int) -> str:
    return "".join(SYLLABLES[at] for at in random.integers(0, len(SYLLABLES), size=syllables))


def main() -> None:
    classes, output = int(sys.argv[1]), Path(sys.argv[2])
    training = list(documents(classes))
    config = MultitaskTraining(steps=STEPS, evaluate_every=0, sampled_classes=2000)
    with tempfile.TemporaryDirectory(prefix="holdfast-classes-") as scratch:
        folder = Path(scratch) / "model"
        began = time.perf_counter()
        train_on_documents(
            MultitaskData(training), MultitaskSettings(train=config), out=folder, report=_report
        )
        seconds = time.perf_counter() - began
        peak = read_memory().peak
        size = sum(path.stat().st_size for path in folder.iterdir())
        learned = MultitaskModel.open(folder).labels.classes - 1
    measured = {
        "benchmark": "multitask-classes",
        "entities": learned,
        "documents": len(training),
        "mentions": sum(len(document.mentions) for document in training),
        "steps": STEPS,
        "seconds": round(seconds, 1),
        "peak_megabytes": round(peak),
        "model_megabytes": round(size / 1e6),
        **circumstances(),
    }
    write_result(measured, output.parent, output.stem)
    print(measured)


def _report(line: str) -> None:
    print(line, file=sys.stderr)


if __name__ == "__main__":
    main()
