"""What `benchmarks/serve` measured of the service, as Markdown."""

from __future__ import annotations

from pages.markdown import Result, markdown_table


def render_load(measured: Result) -> str:
    """The service under load: speed beside the library's, memory, and a killed worker."""
    served, killed = measured["service"], measured["killed_worker"]
    memory = served["megabytes"]
    rows = [
        ("documents/s of the service", f"{served['documents_per_second']:.1f}"),
        ("documents/s of the library", f"{measured['library_documents_per_second']:.1f}"),
        ("the service over the library", f"{measured['service_over_library']:.2f}"),
        ("p50, p99 of a request", f"{served['p50_ms']:,.0f} ms, {served['p99_ms']:,.0f} ms"),
        ("answers", _counted(served["answers"])),
        ("errors that were not announced", str(served["unannounced_errors"])),
        ("memory at the start, at the end", f"{memory[0]:,} MB, {memory[-1]:,} MB"),
        ("a worker killed by kill -9: answers", _counted(killed["answers"])),
        ("… requests lost", str(killed["lost_requests"])),
        ("… until it was back", f"{killed['seconds_until_back']:.1f} s"),
        ("texts in the log", str(measured["texts_in_log"])),
    ]
    about = (
        f"{measured['clients']} clients on loopback for {measured['seconds']:,.0f} s, one abstract "
        f"a request, the default model over `{measured['kb']}` ({measured['machine']}). Unless "
        "`--texts` names others, it is one abstract with 200 different beginnings, so that what "
        "is remembered of names helps both. The library links the same abstracts in one process "
        "with as many threads as there are cores; the service has a process for each core."
    )
    table = markdown_table(("figure", "measured"), rows)
    return "\n".join(["# The service under load", "", about, "", *table]) + "\n"


def render_fuzz(measured: Result) -> str:
    """The service under bad input."""
    problems = measured["problems"]
    rows = [
        ("requests", f"{measured['requests']:,}"),
        ("… made by schemathesis from our own description", f"{measured['schemathesis']:,}"),
        ("answers to the others", _counted(measured["answers"])),
        ("the slowest answer", f"{measured['slowest_seconds']:.1f} s"),
        ("workers that ended", str(measured["worker_restarts"])),
        ("status 500, hangs, text in answers or in the log", str(len(problems))),
    ]
    table = markdown_table(("figure", "measured"), rows)
    told = [f"- {problem}" for problem in problems]
    return "\n".join(
        ["# The service under bad input", "", *table, *([""] if told else []), *told, ""]
    )


def _counted(answers: Result) -> str:
    """`200: 17,795; 503 worker_lost: 3`."""
    return "; ".join(f"{status}: {count:,}" for status, count in answers.items())
