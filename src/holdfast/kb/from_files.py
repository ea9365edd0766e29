"""Knowledge bases from the release files that people have."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from holdfast.errors import UsageError
from holdfast.kb.build import Source, Summary, build_kb
from holdfast.kb.build_report import BuildWatch
from holdfast.kb.readers import READERS
from holdfast.kb.records import Record
from holdfast.kb.store import kb_folder
from holdfast.progress import Progress


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file or folder, and the reader that understands it."""

    reader: str  # a name of holdfast.kb.readers.READERS
    path: Path


_READER_OPTIONS: Final = {
    "language": "languages",
    "source": "sources",
    "semantic_type": "semantic_types",
    "suppressed": "suppressed",
    "tax_id": "tax_ids",
    "prefix": "prefix",
    "type": "type",
    "id_column": "id_column",
    "name_column": "name_column",
    "synonyms_column": "synonyms_column",
    "type_column": "type_column",
    "separator": "separator",
}
"""Options of `holdfast kb build` -> what the readers call them."""


def source_files(options: Mapping[str, Any]) -> list[SourceFile]:
    """The files that the options of `holdfast kb build` name, in the order of the options."""
    return [
        SourceFile(reader, path)
        for reader, paths in options.items()
        if reader in READERS
        for path in paths or ()
    ]


def reader_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """What the options of `holdfast kb build` ask of the readers; None where nothing is asked."""
    return {
        _READER_OPTIONS[option]: None if value is False else value
        for option, value in options.items()
        if option in _READER_OPTIONS
    }


def build_from_files(
    name: str,
    sources: Iterable[SourceFile],
    *,
    folder: Path | None = None,
    options: Mapping[str, Any] | None = None,
    every_name: bool = False,
    progress: Progress | None = None,
    watch: BuildWatch | None = None,
) -> Summary:
    """Read the files in order and build a knowledge base of them in the home folder.

    Each reader gets the options that it knows; an option that no reader knows is a UsageError.
    Where a name is in several files, the earlier file's entity is preferred. `every_name`: single
    common words and names of one or two characters are found in texts too. With a `watch`, rows of
    tables without a name are left out and noted, instead of being an error.
    """
    chosen = list(sources)
    if not chosen:
        raise UsageError("nothing to build from; name a file, e.g. --table terms.tsv")
    wanted = {key: value for key, value in (options or {}).items() if value not in (None, (), [])}
    known = {key for source in chosen for key in _options_of(source.reader)}
    if unknown := sorted(set(wanted) - known):
        readers = ", ".join(dict.fromkeys(source.reader for source in chosen))
        option = next((o for o, key in _READER_OPTIONS.items() if key == unknown[0]), unknown[0])
        option = option.replace("_", "-")
        raise UsageError(f"--{option} means nothing to the reader {readers}")
    for source in chosen:
        if not source.path.exists():
            raise UsageError(f"{source.path}: there is no such file or folder")
    parts = (
        (replace(described, every_name=every_name), records)
        for described, records in (_part(source, wanted, watch) for source in chosen)
    )
    return build_kb(
        folder or kb_folder(name),
        name=name,
        parts=parts,
        progress=progress,
        entered=None if watch is None else watch.entered,
    )


def _options_of(reader: str) -> set[str]:
    parameters = inspect.signature(READERS[reader]).parameters.values()
    return {p.name for p in parameters if p.kind is p.KEYWORD_ONLY}


def _part(
    source: SourceFile, options: Mapping[str, Any], watch: BuildWatch | None
) -> tuple[Source, Iterator[Record]]:
    known = _options_of(source.reader)
    fitting = {key: value for key, value in options.items() if key in known}
    described = Source(
        source.path.name,
        licence="yours",
        origin=source.reader,
        is_own=True,
        path=str(source.path.absolute()),
        options=json.dumps(fitting, default=list),
    )
    return described, _records(source, fitting, watch)


def _records(
    source: SourceFile, options: Mapping[str, Any], watch: BuildWatch | None
) -> Iterator[Record]:
    """The file's records; the watch is told when its reading begins."""
    noted = {} if watch is None else {"notes": watch.start(source.path)}
    if "notes" not in _options_of(source.reader):
        noted = {}
    yield from READERS[source.reader](source.path, **options, **noted)
