"""What the benchmarks measured, printed for a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from holdfast.io.show.rows import figure, print_rows

Measured = Mapping[str, Any]

_LATENCY: Final = {"p50 ms": "p50_milliseconds", "p99 ms": "p99_milliseconds"}
_MEMORY: Final = {
    "load ms": "load_milliseconds",
    "MB": "resident_megabytes",
    "private MB": "private_megabytes",
}


def print_pipelines(measured: Measured) -> None:
    """Pipelines side by side, the first one over smaller vocabularies, and a fresh start."""
    columns = {"model": "model", "names": "kb_names", "documents/s": "documents_per_second"}
    rows = [*measured["rows"], *measured["growth"]]
    print_rows(rows, columns | _LATENCY | _MEMORY)
    print(
        f"a fresh process answers in {measured['start_seconds']:.2f} s "
        f"with {measured['start_peak_megabytes']:.0f} MB at most"
    )


def print_names(measured: Measured) -> None:
    """How many times as fast as each peer, then encoding, linking, and our own figures."""
    for what, ratio in measured["ratios"].items():
        print(f"{what}: {ratio:.1f} times as fast")
    if "encoding" in measured:
        columns = {"encoder": "encoder", "names/s": "names_per_second", "batch": "batch"}
        print_rows(measured["encoding"]["rows"], columns)
    linking = measured["linking"]
    for row in _linking_rows(linking):
        accuracies = ", ".join(
            f"{corpus} {figure(accuracy['accuracy_at_1'])}"
            for corpus, accuracy in row["strict"].items()
        )
        print(f"{row['linker']}: {row['mentions_per_second']:,.0f} mentions/s; {accuracies}")
    own = {"kb": "kb", "names": "kb_names", "mentions/s": "mentions_per_second"}
    print_rows(measured["own"], own | _LATENCY | _MEMORY)


def print_peers(measured: Measured) -> None:
    """A line per tool and set, then why tools failed."""
    for row in measured["rows"]:
        speeds = [
            f"{row[key]:,.1f} {unit}"
            for key, unit in (
                ("mentions_per_second", "mentions/s"),
                ("documents_per_second", "documents/s"),
                ("load_seconds", "s to load"),
                ("peak_megabytes", "MB at most"),
            )
            if row.get(key) is not None
        ]
        strict, strong = row.get("strict", {}), row.get("strong", {})
        scores = [f"{name} strict {figure(f['accuracy_at_1'])}" for name, f in strict.items()]
        scores += [f"{name} strong F1 {figure(f['f1'])}" for name, f in strong.items()]
        print(f"{row['label']}: {'; '.join(speeds + scores) or 'nothing'}")
        if row["failed"]:
            print(f"{row['label']} failed: {row['failed']}")


def print_growth(measured: Measured) -> None:
    """A row per number of names."""
    columns = {
        "names": "kb_names",
        "built in s": "build_seconds",
        "mentions/s": "mentions_per_second",
    }
    print_rows(measured["points"], columns | _LATENCY | _MEMORY)


def _linking_rows(linking: Measured) -> list[dict[str, Any]]:
    """The dense index alone, the whole linker, and each setting of scispaCy."""
    ours, peer = linking["ours"], linking["scispacy"]
    nearest = {
        "mentions_per_second": ours["nearest_per_second"],
        "strict": ours["strict_of_nearest"],
    }
    rows = [{"linker": "dense names alone", **nearest}, {**ours, "linker": "the whole linker"}]
    for setting in peer["settings"] if peer else ():
        rows.append({**setting, "linker": f"scispaCy, efSearch {setting['breadth']}"})
    return rows
