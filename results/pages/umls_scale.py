"""What `benchmarks/umls_scale.py` measured, as Markdown."""

from __future__ import annotations

from pages.markdown import Result, markdown_table, percent


def render_umls_scale(measured: Result) -> str:
    """A page with the bars first, then the stages and the searches."""
    parts = [
        ["# At the scale of UMLS", "", _what(measured)],
        _bars(measured),
        ["## Stages", "", *_stages(measured)],
        ["## Recall of the dense index", "", *_searches(measured)],
    ]
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _what(measured: Result) -> str:
    linking = measured["stages"]["linking"]
    return (
        f"A synthetic knowledge base made of `{measured['base']}`: {measured['entities']:,} "
        f"concepts, {measured['names']:,} names, of which {measured['indexed_names']:,} are in the "
        f"dense index as {measured['vectors']:,} different vectors; "
        f"{measured['disk_megabytes']:,.0f} MB on disk. {linking['mentions']:,} mentions in "
        f"{linking['documents']:,} documents were linked ({measured['threads']} threads, "
        f"{measured.get('machine', 'this machine')})."
    )


def _bars(measured: Result) -> list[str]:
    rows = [
        (
            row["bar"],
            f"{row['measured']:,g}",
            f"{row['limit']:,g}",
            "yes" if row["met"] else "**no**",
        )
        for row in measured["bars"]
    ]
    return markdown_table(("figure", "measured", "bar", "met"), rows)


def _stages(measured: Result) -> list[str]:
    rows = [
        (name, f"{stage['seconds']:,.0f}", f"{stage['peak_megabytes']:,.0f}")
        for name, stage in measured["stages"].items()
        if "seconds" in stage
    ]
    linking = measured["stages"]["linking"]
    note = (
        f"Linking: {linking['mentions_per_second']:,.0f} mentions/s, one mention in "
        f"{linking['p50_milliseconds']:.1f} ms (99 %: {linking['p99_milliseconds']:.1f} ms), "
        f"{linking['resident_megabytes']:,.0f} MB resident, of which "
        f"{linking['private_megabytes']:,.0f} MB private; a fresh process answers in "
        f"{linking['start_milliseconds'] / 1000:.2f} s."
    )
    return [*markdown_table(("stage", "s", "peak MB"), rows), "", note]


def _searches(measured: Result) -> list[str]:
    searches = measured["stages"]["recall"]["searches"]
    kinds = list(searches[0]["recall_at_10"])
    rows = [
        (
            f"{row['breadth']}{' (usual)' if row['is_usual'] else ''}",
            *(percent(row["recall_at_10"][kind]) for kind in kinds),
            f"{row['queries_per_second']:,.0f}",
        )
        for row in searches
    ]
    header = ("breadth", *(f"recall@10, {kind}" for kind in kinds), "queries/s")
    return markdown_table(header, rows)
