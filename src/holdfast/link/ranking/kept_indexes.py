"""The exact and n-gram indexes of a long list of names, made once and kept in the home folder."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from holdfast import artifacts
from holdfast.errors import ArtifactError
from holdfast.names.exact import ExactIndex
from holdfast.names.ngram import NgramIndex
from holdfast.text.tokens import KEY_RULES

KIND: Final = "name indexes"
VERSION: Final = 1
WORTH_KEEPING: Final = 2000  # names


class NameIndexes(NamedTuple):
    exact: ExactIndex
    ngrams: NgramIndex


def indexes_of(names: Sequence[str]) -> NameIndexes:
    """Open the indexes of these names; build them if they are missing, damaged or outdated.

    The indexes of few names, and those that cannot be written, are built in memory each time.
    """
    if len(names) < WORTH_KEEPING:
        return _built(names)
    digest = hashlib.sha256("\n".join(names).encode("utf-8", "replace")).hexdigest()
    folder = artifacts.home() / "names" / digest[:16]
    config = {"names": digest, "key_rules": KEY_RULES}
    with suppress(ArtifactError, OSError, ValueError):
        return _opened(folder, config)
    indexes = _built(names)
    with suppress(OSError), artifacts.publish(folder) as scratch:
        indexes.exact.save(scratch)
        indexes.ngrams.save(scratch)
        artifacts.write_manifest(scratch, kind=KIND, version=VERSION, config=config)
    return indexes


def _built(names: Sequence[str]) -> NameIndexes:
    return NameIndexes(ExactIndex.build(names), NgramIndex.build(names))


def _opened(folder: Path, config: dict[str, object]) -> NameIndexes:
    manifest = artifacts.read_manifest(folder, kind=KIND, version=VERSION)
    if dict(manifest.config) != config or manifest.version != VERSION:
        raise ArtifactError(f"{folder}: indexes of other names, or by other rules; build it again")
    artifacts.verify(folder, manifest)
    return NameIndexes(ExactIndex.open(folder), NgramIndex.open(folder))
