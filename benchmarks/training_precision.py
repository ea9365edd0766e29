"""Times training steps of MiniLM's network in float32 and in bfloat16, in one run.

    python benchmarks/training_precision.py results/bench-training-precision.json

Needs the extra `train`; weights are random, which takes as long. On a processor without
instructions for bfloat16 there is nothing to compare, and it says so.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from statistics import median

import torch

from holdfast.experiments.results import circumstances, write_result
from holdfast.training.bert import TransformerConfig, TransformerLinker
from holdfast.training.precision import PRECISIONS, Precision, computed_in, has_bfloat16
from holdfast.training.token_encoder import TransformerTokens

ROUNDS = 7
SEQUENCES = 32
LENGTHS = (20, 126)  # word pieces, from and to


def main() -> None:
    if not has_bfloat16():
        sys.exit("this processor has no instructions for bfloat16")
    torch.manual_seed(13)
    encoder = TransformerTokens(
        TransformerLinker(TransformerConfig(vocabulary=30522, first=101, last=102))
    )
    trained = [p for p in encoder.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=1e-5, fused=True)
    lengths = torch.randint(*LENGTHS, (SEQUENCES,))
    tokens = torch.randint(1000, 30000, (int(lengths.sum()),))

    def seconds(precision: Precision) -> float:
        began = time.perf_counter()
        optimizer.zero_grad()
        with computed_in(precision):
            loss = encoder(tokens, lengths).tokens.square().mean()
        torch.autograd.backward(loss)
        optimizer.step()
        return time.perf_counter() - began

    taken: dict[Precision, list[float]] = {precision: [] for precision in PRECISIONS}
    for number in range(ROUNDS + 1):
        for precision, own in taken.items():
            found = seconds(precision)
            if number:  # the first round warms up
                own.append(found)
    speeds = {precision: len(tokens) / median(own) for precision, own in taken.items()}
    measured = {
        "benchmark": "training-precision",
        "threads": torch.get_num_threads(),
        "tokens": len(tokens),
        "rounds": ROUNDS,
        **{f"{name}_tokens_per_second": round(speed) for name, speed in speeds.items()},
        "ratio": round(speeds["bfloat16"] / speeds["float32"], 2),
        **circumstances(),
    }
    output = Path(sys.argv[1])
    write_result(measured, output.parent, output.stem)
    print(measured)


if __name__ == "__main__":
    main()
