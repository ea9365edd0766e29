"""What a scorer found, as one flat JSON object or a table for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from holdfast.evaluate.intervals import RESAMPLES, SEED, Estimate, Figure, Row, estimate

if TYPE_CHECKING:
    from rich.table import Table

Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Report:
    """The figures of one protocol on one set of documents or mentions.

    `left_out` counts gold mentions by the reason why they are not scored; a reason with 0 is kept,
    so that the keys of a protocol never change.
    """

    protocol: str
    figures: Mapping[str, Estimate]  # fractions in [0, 1], headline first
    counts: Mapping[str, int]  # "n_scored", "n_gold", …
    left_out: Mapping[str, int] = field(default_factory=dict)
    unit: str = "document"  # what the bootstrap draws: "document" or "mention"
    resamples: int = RESAMPLES
    seed: int = SEED
    context: Mapping[str, Scalar] = field(default_factory=dict)  # corpus, kb, model, …

    def __getitem__(self, figure: str) -> float:
        """The figure's value: `report["f1"]`."""
        return self.figures[figure].value

    def with_context(self, **context: Scalar) -> Report:
        """A copy that also says what was measured: corpus, split, knowledge base, …"""
        return replace(self, context={**self.context, **context})

    def to_json(self) -> dict[str, Scalar]:
        """Flat. Each figure `x` comes with `x_low` and `x_high`; each reason `r` for leaving gold
        mentions out is `left_out_r`, and `n_left_out` is their sum."""
        data: dict[str, Scalar] = {"protocol": self.protocol, **self.context}
        for name, figure in self.figures.items():
            data[name] = figure.value
            data[f"{name}_low"] = figure.low
            data[f"{name}_high"] = figure.high
        data.update(self.counts)
        data["n_left_out"] = sum(self.left_out.values())
        data.update({f"left_out_{reason}": n for reason, n in self.left_out.items()})
        data["bootstrap_unit"] = self.unit
        data["bootstrap_resamples"] = self.resamples
        data["bootstrap_seed"] = self.seed
        return data

    def to_table(self) -> Table:
        """Percentages with their intervals, and below them what was scored and left out."""
        from rich.table import Table

        table = Table(title=self.protocol, caption=self._caption(), title_justify="left")
        table.add_column("figure")
        table.add_column("%", justify="right")
        table.add_column("95 % interval", justify="right")
        for name, figure in self.figures.items():
            table.add_row(
                name.replace("_", " "),
                f"{100 * figure.value:.2f}",
                f"{100 * figure.low:.2f} – {100 * figure.high:.2f}",
            )
        return table

    def _caption(self) -> str:
        counts = ", ".join(
            f"{name.removeprefix('n_').replace('_', ' ')} {n:,}" for name, n in self.counts.items()
        )
        reasons = ", ".join(f"{reason} {n:,}" for reason, n in self.left_out.items() if n)
        left_out = f"left out {sum(self.left_out.values()):,}"
        return f"{counts}; {left_out}{f' ({reasons})' if reasons else ''}"


def build_report(
    protocol: str,
    rows: Sequence[Row],
    figures: Mapping[str, Figure],
    *,
    counts: Mapping[str, int],
    left_out: Mapping[str, int],
    unit: str = "document",
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Report:
    """Estimate the figures over the rows, one row per `unit`."""
    return Report(
        protocol=protocol,
        figures=estimate(rows, figures, resamples=resamples, seed=seed),
        counts=counts,
        left_out=left_out,
        unit=unit,
        resamples=resamples,
        seed=seed,
    )
