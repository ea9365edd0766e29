"""What `benchmarks/dense_index.py` measured, as Markdown."""

from __future__ import annotations

from pages.markdown import Result, markdown_table


def render_dense_index(result: Result) -> str:
    """A page with a row per number of names, kind of index and search effort."""
    rows = [
        (
            f"{m['names']:,}",
            m["way"],
            str(s["effort"] or ""),
            f"{100 * s['recall_at_1']:.1f} / {100 * s['recall_at_10']:.1f}",
            f"{s['queries_per_second']:,} ({s['queries_per_processor_second']:,})",
            f"{s['milliseconds_alone']} ({s['processor_milliseconds_alone']})",
            f"{m['build_seconds']:,} ({m['build_processor_seconds']:,})",
            f"{m['disk_megabytes']:,}",
            f"{m['load_milliseconds']:.0f}",
            f"{m['resident_megabytes_when_opened']} / {m['resident_megabytes_when_searched']}",
        )
        for m in result["measured"]
        for s in m["searches"]
    ]
    header = (
        "names",
        "way",
        "effort",
        "recall@1 / @10",
        "queries/s (per processor second)",
        "ms alone (processor)",
        "build s (processor)",
        "disk MB",
        "load ms",
        "resident MB opened / searched",
    )
    installs = ", ".join(
        f"{p} {i['version']}: {i['megabytes']} MB" for p, i in result["installs"].items()
    )
    lines = [
        "# Dense indexes compared",
        "",
        "Written by `benchmarks/dense_index.py`. Effort is the lists searched, or the vectors kept",
        "in mind; recall, in percent, is counted against unrounded vectors, all compared. In",
        "brackets: by the processor's seconds, of all threads, which mind other work less.",
        "",
        f"{result['machine']}, {result['threads']} threads, "
        f"load average {result['load_average']}, commit",
        f"{result['commit']}. Installed: {installs}.",
        "",
        *markdown_table(header, rows),
    ]
    return "\n".join(lines) + "\n"
