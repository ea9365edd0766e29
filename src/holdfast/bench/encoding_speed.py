"""Names encoded a second: our encoder beside a BERT-base encoder, both on onnxruntime.

BERT gets a fair chance: the same word pieces as ours, which were learned from biomedical names and
are fewer than a general vocabulary's; names sorted by length; padded batches of the size that turns
out fastest. It is slow, so it encodes a sample of the names that has their lengths.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt
import onnxruntime
from tokenizers import Tokenizer

from holdfast.bench.processes import repeat, seconds_of, serve_job
from holdfast.encoders.names import TOKENIZER, NameEncoder, plain
from holdfast.errors import ArtifactError

BATCHES: Final = (8, 16, 32, 64, 128)
SAMPLED: Final = 4096  # names that BERT encodes in a round
_TRIED: Final = 512  # names that choose the size of its batches
_SEED: Final = 13
_FIRST, _LAST, _PADDING = 101, 102, 0  # BERT's [CLS], [SEP] and [PAD]
_VOCABULARY: Final = 30_522  # of BERT-base


class Session(Protocol):
    """What is used of onnxruntime's InferenceSession."""

    def run(self, outputs: Sequence[str], inputs: dict[str, Any]) -> Sequence[Any]: ...


@dataclass(frozen=True, slots=True)
class EncodingSpeed:
    """An encoder over a list of names."""

    encoder: str
    names: int  # encoded in a round
    names_per_second: float  # the median of the rounds
    rounds: int
    batch: int | None = None  # None: the encoder's own choice


@dataclass(frozen=True, slots=True, eq=False)
class Bert:
    """A BERT encoder with the inputs and outputs of benchmarks/peers/make_bert_base.py."""

    session: Session
    pieces: Callable[[Sequence[str]], list[list[int]]]
    longest: int  # word pieces of a name, with the two that BERT adds

    def encode(self, names: Sequence[str], *, batch: int) -> npt.NDArray[np.float32]:
        """A row per name, in order; names of about one length are encoded together."""
        tokens = [[_FIRST, *ids[: self.longest - 2], _LAST] for ids in self.pieces(names)]
        order = sorted(range(len(tokens)), key=lambda i: len(tokens[i]))
        found = [
            self._run([tokens[i] for i in order[start : start + batch]])
            for start in range(0, len(order), batch)
        ]
        vectors = np.concatenate(found)
        result = np.empty_like(vectors)
        result[order] = vectors
        return result

    def _run(self, tokens: Sequence[Sequence[int]]) -> npt.NDArray[np.float32]:
        length = max(map(len, tokens))
        padded = np.full((len(tokens), length), _PADDING, dtype=np.int64)
        mask = np.zeros_like(padded)
        for row, ids in enumerate(tokens):
            padded[row, : len(ids)] = np.minimum(ids, _VOCABULARY - 1)
            mask[row, : len(ids)] = 1
        vectors: npt.NDArray[np.float32]
        (vectors,) = self.session.run(["vectors"], {"tokens": padded, "mask": mask})
        return vectors


def open_bert(path: Path, model: Path, *, threads: int, longest: int) -> Bert:
    """With the tokenizer of our own model folder."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # onnxruntime raises bare exceptions of many types
        reason = " ".join(str(error).split())
        raise ArtifactError(
            f"{path}: cannot be opened ({reason}); make it by benchmarks/peers/make_bert_base.py"
        ) from error
    tokenizer = Tokenizer.from_file(str(model / TOKENIZER))
    tokenizer.no_padding()

    def pieces(names: Sequence[str]) -> list[list[int]]:
        texts = [plain(name) for name in names]
        return [e.ids for e in tokenizer.encode_batch_fast(texts, add_special_tokens=False)]

    return Bert(session, pieces, longest)


def sample_by_length(names: Sequence[str], size: int, *, seed: int) -> list[str]:
    """So many different places of the list, one of each stratum of length; all if there are fewer.

    Lengths of the sample are distributed as those of the names.
    """
    ordered = sorted(names, key=len)
    size = min(size, len(ordered))
    draw = random.Random(seed)
    edges = [i * len(ordered) // size for i in range(size + 1)] if size else []
    return [ordered[draw.randrange(start, end)] for start, end in pairwise(edges)]


def measure_ours(model: Path, names: Sequence[str], *, threads: int) -> EncodingSpeed:
    """All names, from strings to vectors."""
    encoder = NameEncoder.open(model, threads=threads)
    encoder.encode(sample_by_length(names, _TRIED, seed=_SEED))
    rounds = repeat(lambda: seconds_of(partial(encoder.encode, names)))
    speed = round(len(names) / rounds.seconds, 1)
    return EncodingSpeed("ours", len(names), speed, rounds.rounds)


def measure_bert(name: str, bert: Bert, names: Sequence[str]) -> EncodingSpeed:
    """A sample of the names, from strings to vectors, in batches of the fastest size."""
    sample = sample_by_length(names, SAMPLED, seed=_SEED)
    few = sample_by_length(sample, _TRIED, seed=_SEED)
    bert.encode(few, batch=BATCHES[0])
    taken = {size: seconds_of(partial(bert.encode, few, batch=size)) for size in BATCHES}
    best = min(BATCHES, key=lambda size: taken[size])
    rounds = repeat(lambda: seconds_of(partial(bert.encode, sample, batch=best)))
    speed = round(len(sample) / rounds.seconds, 1)
    return EncodingSpeed(name, len(sample), speed, rounds.rounds, best)


def _work(job: dict[str, Any]) -> dict[str, Any]:
    """Job: `names` (file of a JSON list), `model`, `berts` (files), `threads`."""
    names: list[str] = json.loads(Path(job["names"]).read_text(encoding="utf-8"))
    model, threads = Path(job["model"]), int(job["threads"])
    ours = measure_ours(model, names, threads=threads)
    longest = NameEncoder.open(model, threads=threads).longest
    rows = [asdict(ours)]
    for path in map(Path, job["berts"]):
        bert = open_bert(path, model, threads=threads, longest=longest)
        rows.append(asdict(measure_bert(path.stem, bert, names)))
    return {"rows": rows}


if __name__ == "__main__":
    serve_job(_work)
