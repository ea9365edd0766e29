"""From text to linked mentions: the page to read first.

    text ─► Document ─► detect ─► Mention ─► link ─► Candidate + why ─► type ─► relate

A pipeline is a list of steps, and a step takes a Document and returns a richer one. `load` makes
the pipeline of a model; any other is `Pipeline([step, …])`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, cast

from holdfast.document import Document
from holdfast.errors import UsageError
from holdfast.kb.mapping import IdMapper
from holdfast.kb.own_types import own_types, parse_types, with_own_types
from holdfast.kb.store import KnowledgeBase, open_kb
from holdfast.kinds import kind_of, roles_of
from holdfast.link.mapped import MapIds
from holdfast.link.min_score import MinScore
from holdfast.link.rules import Rules, read_rules
from holdfast.link.species_genes import LOOKED_AT, GenesBySpecies, has_species
from holdfast.link.variants.linker import variant_linker
from holdfast.models import find_model, manifest_of, parts_of
from holdfast.step import LINKS, MENTIONS, Each, Options, Progress, Roles, Step, ignore_progress

DEFAULT_KB: Final = "open"
DEFAULT_MODEL: Final = "default"

Model = str | Path
Models = Model | Sequence[Model]
AnyStep = Step | Callable[[Document], Document]


@dataclass(frozen=True, slots=True, init=False)
class Pipeline:
    """Steps that a document goes through, one after the other.

    One that `load` made can be pickled: what is kept is how it was loaded, not its arrays.
    """

    steps: tuple[Step, ...]
    _loaded: tuple[tuple[str, Any], ...] | None  # the arguments of `load`

    def __init__(self, steps: Iterable[AnyStep], *, _loaded: dict[str, Any] | None = None) -> None:
        """A plain function from Document to Document is a step too."""
        object.__setattr__(self, "steps", tuple(map(_as_step, steps)))
        object.__setattr__(self, "_loaded", None if _loaded is None else tuple(_loaded.items()))

    @property
    def digest(self) -> str:
        """Identifies the models of its steps."""
        return "+".join(step.digest for step in self.steps if step.digest)

    def __call__(self, text: str | Document) -> Document:
        """The document with all that the steps found. A bare text becomes a Document first."""
        document = _as_document(text)
        for step in self.steps:
            document = step(document)
        return document

    def pipe(self, documents: Iterable[str | Document]) -> Iterator[Document]:
        """Many documents, in order; steps that can work on several at once do."""
        if isinstance(documents, str | bytes | Document) or not isinstance(documents, Iterable):
            raise UsageError(
                f"pipe reads several texts or Documents, not {_shown(documents)}; for one, call "
                "the pipeline itself"
            )
        flowing: Iterator[Document] = map(_as_document, documents)
        for step in self.steps:
            flowing = step.pipe(flowing)
        return flowing

    def functions(self) -> Iterator[AnyStep]:
        """The steps, plain functions as they were given."""
        return (step.function if isinstance(step, Each) else step for step in self.steps)

    def __reduce__(self) -> tuple[Any, ...]:
        if self._loaded is None:
            return Pipeline, (self.steps,)
        return _load_again, (dict(self._loaded),)


def _load_again(arguments: dict[str, Any]) -> Pipeline:
    return load(**arguments)


def _as_step(step: AnyStep) -> Step:
    is_step = hasattr(step, "pipe") and hasattr(step, "digest")
    return cast("Step", step) if is_step else Each(step)


def _as_document(text: str | Document) -> Document:
    if isinstance(text, str):
        return Document("", text)
    if not isinstance(text, Document):
        raise UsageError(f"a pipeline reads a text or a Document, not {_shown(text)}")
    return text


def _shown(value: object) -> str:
    """A value of the wrong type, shortened, with its type."""
    text = repr(value)
    return f"{text if len(text) <= 60 else text[:57] + '...'} ({type(value).__name__})"


def load(
    kb: str | Path | KnowledgeBase = DEFAULT_KB,
    *,
    model: Models = DEFAULT_MODEL,
    only: Collection[str] | None = None,
    marked: bool = False,
    top: int = 5,
    min_score: float = 0.0,
    nested: bool = False,
    rules: str | Path | None = None,
    map_to: str | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Pipeline:
    """The pipeline that `holdfast link` runs.

    kb        a name that `holdfast kb get` or `kb build` made, a folder, or an open one
    model     a name that `holdfast models` lists, or a model folder. A detector or linker alone
              is completed by the parts of the default model; several are taken as they are, in
              their order
    only      types of mentions, e.g. ("disease", "chemical"), also such that only the knowledge
              base has; by default all but "other"
    marked    link the mentions that documents have instead of finding any
    top       how many candidates each mention keeps
    min_score links whose candidate scores less become NIL; the candidates stay
    nested    also find mentions of another type inside a longer one
    rules     a file that blocks, pins or adds names: see holdfast.link.rules
    map_to    a vocabulary's prefix, e.g. "UMLS": links are given in its ids: holdfast.link.mapped
    threads   of each network; by default as many as there are cores
    progress  told what the model makes of a knowledge base that it meets for the first time,
              and which part of it is done
    """
    strict = MinScore(min_score)
    parts = [_Part(folder, roles_of(folder)) for folder in model_parts(model, marked=marked)]
    _check_roles(parts, marked=marked, nested=nested)
    base = kb if isinstance(kb, KnowledgeBase) else open_kb(kb)
    wanted = None if only is None else parse_types(only, own_types(base))
    mapped = None if map_to is None else MapIds(IdMapper(base, map_to))
    told = None if rules is None else read_rules(Path(rules), base)
    typed = with_own_types(base, wanted)
    options = Options(
        only=wanted, top=top, nested=nested, threads=threads, progress=progress or ignore_progress
    )
    after = _after_linking(typed, options, strict=strict if min_score else None, rules=told)
    steps = _steps(parts, typed, options, rules=told, after=[*after, *([mapped] if mapped else [])])
    arguments = {
        "kb": str(base.folder.absolute()),
        "model": model if isinstance(model, str) else _absolute(model),
        "only": wanted,
        "marked": marked,
        "top": top,
        "min_score": min_score,
        "nested": nested,
        "rules": None if rules is None else str(Path(rules).absolute()),
        "map_to": map_to,
        "threads": threads,
    }
    return Pipeline(steps, _loaded=arguments)


def prepare_kb(
    kb: KnowledgeBase, *, model: Model = DEFAULT_MODEL, progress: Progress = ignore_progress
) -> None:
    """Make and keep all that a model needs of a knowledge base, before it first links.

    An ArtifactError if it cannot be written.
    """
    for folder in model_parts(model):
        kind_of(folder).prepare(folder, kb, progress)


def _absolute(model: Path | Sequence[Model]) -> str | list[str]:
    """What `load` finds again from another working directory."""
    if isinstance(model, Path):
        return str(find_model(model).absolute())
    return [str(find_model(part).absolute()) for part in model]


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a model and what it needs and adds."""

    folder: Path
    roles: Roles

    @property
    def about(self) -> str:
        return f"{manifest_of(self.folder).kind} {self.folder.name!r}"


def model_parts(model: Models, *, marked: bool = False) -> list[Path]:
    """The folders of a model's parts, in the order of the flow.

    `marked`: without what only finds mentions. A UsageError if the model is nothing else.
    """
    models = [model] if isinstance(model, str | Path) else model
    is_one = models is not model
    named = [part for one in models for part in parts_of(find_model(one))]
    if not named:
        raise UsageError("a model has at least one part, and none is named")
    if not marked:
        return _completed(named) if is_one else named
    if all(roles_of(part).adds == {MENTIONS} for part in named):
        raise UsageError(
            f"{named[0].name!r} only finds mentions, and what is marked is not looked for; take a "
            "linker"
        )
    found = _completed(named) if is_one else named
    return [part for part in found if roles_of(part).adds != {MENTIONS}]


def _completed(parts: list[Path]) -> list[Path]:
    """A model that lacks a detector or a linker, with those of the default model."""
    if len(parts) > 1:
        return parts
    own = roles_of(parts[0])
    lacking = {MENTIONS, LINKS} - (own.adds - own.needs)
    usual = [p for p in parts_of(find_model(DEFAULT_MODEL)) if roles_of(p).adds & lacking]
    if not own.adds or not lacking:
        return parts
    before = [part for part in usual if roles_of(part).adds & own.needs or LINKS in own.needs]
    return [*before, *parts, *(part for part in usual if part not in before)]


def _check_roles(parts: Sequence[_Part], *, marked: bool, nested: bool) -> None:
    """A UsageError for a part that does not find what it needs, or cannot do what is asked."""
    there = {MENTIONS} if marked else set[str]()
    what = {MENTIONS: "a detector", LINKS: "a linker"}
    for part in parts:
        if not part.roles.adds:
            raise UsageError(f"{part.folder}: holds a {part.about}, which cannot link by itself")
        for need in sorted(part.roles.needs - there):
            raise UsageError(f"the {part.about} needs {need}; add {what.get(need, need)} before it")
        if marked and MENTIONS in part.roles.adds:
            raise UsageError(f"the {part.about} links only what it finds itself; take another")
        if nested and MENTIONS in part.roles.adds and not part.roles.nests:
            raise UsageError(f"the {part.about} finds no mentions inside others; take another")
        there |= part.roles.adds
    if nested and not any(part.roles.nests for part in parts):
        raise UsageError("nested mentions are found by a detector, and none is in this pipeline")


def _steps(
    parts: Sequence[_Part],
    kb: KnowledgeBase,
    options: Options,
    *,
    rules: Rules | None,
    after: Sequence[AnyStep],
) -> Iterator[AnyStep]:
    """The opened parts; the rules' names behind what finds, and `after` behind what links."""
    finds = [part for part in parts if MENTIONS in part.roles.adds]
    links = [part for part in parts if LINKS in part.roles.adds]
    looked_at = max(options.top, LOOKED_AT) if has_species(kb, options.only) else options.top
    for part in parts:
        yield kind_of(part.folder).open(part.folder, kb, replace(options, top=looked_at))
        if rules and part in finds[-1:]:
            yield rules.find
        if part in links[-1:]:
            yield from after


def _after_linking(
    kb: KnowledgeBase, options: Options, *, strict: MinScore | None, rules: Rules | None
) -> list[AnyStep]:
    """What stands behind every linker: species, variants, the least score, the rules' links."""
    after = list[AnyStep]()
    if has_species(kb, options.only):
        after.append(GenesBySpecies(kb, top=options.top))
    if variants := variant_linker(kb, only=options.only, top=options.top):
        after.append(variants)
    return [*after, *([strict] if strict else []), *([rules.decide] if rules else [])]
