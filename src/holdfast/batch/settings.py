"""All that a job's output depends on, with digests, and the manifest that keeps it.

A job is resumed only if nothing of it changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

from holdfast import artifacts
from holdfast.batch.inputs import InputSource
from holdfast.batch.places import OutputPlace
from holdfast.batch.plan import MeasuredSource, Share
from holdfast.errors import ArtifactError, UsageError
from holdfast.kb.store import KnowledgeBase
from holdfast.models import find_model, manifest_of
from holdfast.parts import model_parts
from holdfast.pipeline import Pipeline, check_load, load

_KIND: Final = "annotated documents"
_VERSION: Final = 1
_LIBRARIES: Final = ("faiss-cpu", "numpy", "onnxruntime", "pyarrow", "tokenizers")
_NAME_MODELS: Final = ("encoder", "linker", "linkers", "model", "names_model")
"""Keys of a model's configuration whose values are names of models that it opens, too."""
_SHOWN: Final = 12  # characters of a digest that a message shows
_SIZE: Final = "inputs bytes "  # how a change of the size of all inputs begins
_LISTED: Final = 3  # changes that a message lists


@dataclass(frozen=True, slots=True, kw_only=True)
class Linking:
    """How documents are linked: the arguments of `holdfast.load`."""

    kb: str
    model: str = "default"
    only: tuple[str, ...] | None = None
    top: int = 5
    min_score: float = 0.0
    nested: bool = False
    rules: str | None = None
    map_to: str | None = None

    def check(self, kb: KnowledgeBase) -> None:
        """The UsageErrors of `load`, without the time that loading takes."""
        check_load(
            kb,
            model=self.model,
            only=self.only,
            min_score=self.min_score,
            nested=self.nested,
            rules=self.rules,
            map_to=self.map_to,
        )

    def load(self) -> Pipeline:
        """The pipeline, in one thread: a job has many processes."""
        return load(
            self.kb,
            model=self.model,
            only=self.only,
            top=self.top,
            min_score=self.min_score,
            nested=self.nested,
            rules=self.rules,
            map_to=self.map_to,
            threads=1,
        )


def settings_of(
    linking: Linking,
    kb: KnowledgeBase,
    sources: Sequence[InputSource],
    *,
    format: str,
    documents_per_shard: int,
    strict: bool,
) -> dict[str, Any]:
    """What the output depends on besides the content of the inputs, as the manifest has it."""
    rules = None if linking.rules is None else artifacts.sha256_of(Path(linking.rules))
    return {
        "knowledge base": {"name": kb.name, "digest": kb.manifest.digest},
        "model": model_digests(linking.model),
        "--only": None if linking.only is None else list(linking.only),
        "--top": linking.top,
        "--min-score": linking.min_score,
        "--nested": linking.nested,
        "--rules": rules,
        "--map-to": linking.map_to,
        "--format": format,
        "--shard-size": documents_per_shard,
        "--strict": strict,
        "inputs": {"number": len(sources), "bytes": sum(source.size for source in sources)},
        "versions": {"holdfast": _version("holdfast"), **dict(_libraries())},
    }


def model_digests(model: str) -> dict[str, str]:
    """The digest of each part of a model, and of each model that a part names in turn, by name."""
    folders = dict[Path, Path]()
    for part in model_parts(model):
        for folder in _with_named(part):
            folders.setdefault(folder.resolve(), folder)
    digests = dict[str, str]()
    for folder in folders.values():
        name, others = folder.name, 1
        while name in digests:  # a folder of the same name elsewhere
            others += 1
            name = f"{folder.name} ({others})"
        digests[name] = manifest_of(folder).digest
    return digests


def _with_named(folder: Path) -> Iterator[Path]:
    """The folder, and those of the models that its configuration names, and so on.

    A name without a folder is not opened: it says what an encoder was trained from.
    """
    yield folder
    for name in _names_in(manifest_of(folder).config):
        try:
            named = find_model(name, beside=folder)
        except UsageError:
            continue
        yield from _with_named(named)


def _names_in(config: Mapping[str, Any]) -> Iterator[str]:
    """The names of models in a configuration: a string, several, or within a table."""
    for key in _NAME_MODELS:
        value = config.get(key)
        if isinstance(value, str) and value:
            yield value
        elif isinstance(value, Sequence):
            yield from (name for name in value if isinstance(name, str))
        elif isinstance(value, Mapping):
            yield from _names_in(value)


def _libraries() -> Iterator[tuple[str, str]]:
    return ((name, _version(name)) for name in _LIBRARIES)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


def manifest_name(share: Share) -> str:
    """Of the manifest of a whole job, or of one task of an array."""
    return f"manifest{share.ending}.json"


def manifest_bytes(settings: Mapping[str, Any], measured: Sequence[MeasuredSource]) -> bytes:
    """The manifest of a job, the same for the same job."""
    content = {
        "kind": _KIND,
        "version": _VERSION,
        "settings": settings,
        "inputs": [one.to_json() for one in measured],
    }
    text = json.dumps(content, sort_keys=True)
    seal = hashlib.sha256(text.encode()).hexdigest()
    return (json.dumps({**content, "sha256": seal}, indent=2) + "\n").encode()


def known_records(manifests: Mapping[str, Mapping[str, Any]]) -> dict[int, int]:
    """How many records the sources have that were measured before, by number."""
    inputs = (one for manifest in manifests.values() for one in manifest["inputs"])
    return {one["number"]: one["records"] for one in inputs}


def read_manifests(place: OutputPlace) -> dict[str, dict[str, Any]]:
    """The manifests in a folder, of the whole job and of tasks, by name."""
    found = dict[str, dict[str, Any]]()
    for name in place.names():
        if not (name == artifacts.MANIFEST or name.startswith("manifest-")):
            continue
        content = place.read(name)
        if content is not None:
            found[name] = _manifest(content, place.at(name))
    return found


def _manifest(content: bytes, where: str) -> dict[str, Any]:
    try:
        data: dict[str, Any] = json.loads(content)
        seal = data.pop("sha256")
        text = json.dumps(data, sort_keys=True)
        if hashlib.sha256(text.encode()).hexdigest() != seal or data["kind"] != _KIND:
            raise ValueError("its content is not what its sha256 says")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ArtifactError(f"{where}: damaged ({error}); begin in another folder") from error
    return data


def check_unchanged(
    manifests: Mapping[str, Mapping[str, Any]],
    settings: Mapping[str, Any],
    measured: Sequence[MeasuredSource] | None,
    place: OutputPlace,
) -> None:
    """A UsageError that says what changed, if any manifest is of another job.

    Settings can be checked before anything was measured (None). The size of the inputs waits until
    then, so that the message names the file that changed.
    """
    for name, manifest in manifests.items():
        changes = list(_changes(manifest, settings, measured))
        if changes:
            more = len(changes) - _LISTED
            listed = "; ".join(changes[:_LISTED]) + (f"; and {more} more" if more > 0 else "")
            raise UsageError(
                f"{place.at(name)}: cannot be resumed, since something changed: {listed}; undo the "
                "change, or begin in another folder"
            )


def _changes(
    manifest: Mapping[str, Any],
    settings: Mapping[str, Any],
    measured: Sequence[MeasuredSource] | None,
) -> Iterator[str]:
    before = manifest["settings"]
    earlier = {one["number"]: one for one in manifest["inputs"]}
    for one in measured or ():
        was, now = earlier.get(one.source.number), one.to_json()
        if was is None or was == now:
            continue
        if was["name"] == now["name"] and was["sha256"] != now["sha256"]:
            yield f"the content of the input {now['name']}"
        else:
            yield from _difference(f"input {one.source.number}", was, now)
    for key in dict.fromkeys([*before, *settings]):
        for change in _difference(key, before.get(key), settings.get(key)):
            if measured is not None or not change.startswith(_SIZE):
                yield change


def _difference(key: str, before: Any, now: Any) -> Iterator[str]:
    """One line for each value that differs, with keys joined by a blank."""
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        for inner in dict.fromkeys([*before, *now]):
            yield from _difference(f"{key} {inner}", before.get(inner), now.get(inner))
    elif before != now:
        yield f"{key} was {_shown(before)}, is {_shown(now)}"


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    text = value if isinstance(value, str) else json.dumps(value)
    return f"{text[:_SHOWN]}…" if len(text) > 40 else text
