"""From text to linked mentions: the page to read first.

    text ─► Document ─► detect ─► Mention ─► link ─► Candidate + why ─► type ─► relate

A pipeline is a list of steps, and a step takes a Document and returns a richer one. `load` makes
the pipeline of a model; any other is `Pipeline([step, …])`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
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
from holdfast.models import find_model
from holdfast.parts import (
    DEFAULT_MODEL,
    Model,
    Models,
    Part,
    check_roles,
    model_parts,
    typing_parts,
)
from holdfast.progress import Progress, ignore_progress
from holdfast.step import LINKS, MENTIONS, RELATIONS, Each, Options, Step

DEFAULT_KB: Final = "open"

AnyStep = Step | Callable[[Document], Document]


@dataclass(frozen=True, slots=True, init=False)
class Pipeline:
    """Steps that a document goes through, one after the other.

    One that `load` made can be pickled: what is kept is how it was loaded, not its arrays.
    """

    steps: tuple[Step, ...]
    _loaded: _LoadArguments | None  # the arguments of `load`

    def __init__(self, steps: Iterable[AnyStep], *, _loaded: _LoadArguments | None = None) -> None:
        """A plain function from Document to Document is a step too."""
        object.__setattr__(self, "steps", tuple(map(_as_step, steps)))
        object.__setattr__(self, "_loaded", _loaded)

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
        return _load_again, (asdict(self._loaded),)


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
    types: Model | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Pipeline:
    """The pipeline that `holdfast link` runs.

    kb        a name that `holdfast kb get` or `kb build` made, a folder, or an open one
    model     a name or folder (a part alone is completed by the default's), or parts in order
    only      types of mentions, e.g. ("disease", "chemical"); by default all but "other"
    marked    link the mentions that documents have; nested: also find mentions inside longer ones
    min_score links whose candidate scores less become NIL; top: candidates that are kept
    rules     a file of holdfast.link.rules; map_to: the vocabulary of links, by prefix, e.g. "UMLS"
    types     a typing model, by name or folder: mentions also say what kind of thing they are
    progress  called with what a new knowledge base needs; threads: of each network, default all
    """
    asked = _LoadArguments(
        kb=kb,
        model=model,
        only=only,
        marked=marked,
        top=top,
        min_score=min_score,
        nested=nested,
        rules=rules,
        map_to=map_to,
        types=types,
        threads=threads,
    )
    return _open(asked, progress or ignore_progress)


def check_load(
    kb: KnowledgeBase,
    *,
    model: Models,
    only: Collection[str] | None,
    min_score: float,
    nested: bool,
    rules: str | Path | None,
    map_to: str | None,
) -> None:
    """Raise the UsageErrors of `load` with these arguments, without opening a model."""
    asked = _LoadArguments(
        kb=kb,
        model=model,
        only=only,
        marked=False,
        top=1,
        min_score=min_score,
        nested=nested,
        rules=rules,
        map_to=map_to,
        types=None,
        threads=None,
    )
    checked = _check(asked)
    list(_after_linking(checked.asked, kb, with_own_types(kb, checked.asked.only), checked.rules))


def _open(asked: _LoadArguments, progress: Progress) -> Pipeline:
    """Find the parts and the knowledge base, check that they fit together, and open them."""
    checked = _check(asked)
    return Pipeline(_steps(checked, progress), _loaded=checked.asked)


def _check(asked: _LoadArguments) -> _Checked:
    """The parts, the knowledge base and the rules; a UsageError if they do not fit together."""
    marked, nested = asked.marked, asked.nested
    folders = [*model_parts(asked.model, marked=marked), *typing_parts(asked.types)]
    parts = [Part(folder, roles_of(folder)) for folder in folders]
    check_roles(parts, marked=marked, nested=nested)
    base = asked.kb if isinstance(asked.kb, KnowledgeBase) else open_kb(asked.kb)
    own = dict.fromkeys([*own_types(base), *(type for p in parts for type in p.roles.types)])
    again = replace(
        asked,
        kb=str(base.folder.absolute()),
        model=_absolute(asked.model),
        only=None if asked.only is None else parse_types(asked.only, tuple(own)),
        rules=None if asked.rules is None else str(Path(asked.rules).absolute()),
        types=None if asked.types is None else str(find_model(asked.types).absolute()),
    )
    rules = None if again.rules is None else read_rules(Path(again.rules), base)
    return _Checked(again, parts, base, rules)


@dataclass(frozen=True, slots=True)
class _LoadArguments:
    """The arguments of `load`.

    A pipeline keeps them with absolute folders, so that another process can give them again.
    """

    kb: str | Path | KnowledgeBase
    model: Models
    only: Collection[str] | None
    marked: bool
    top: int
    min_score: float
    nested: bool
    rules: str | Path | None
    map_to: str | None
    types: Model | None
    threads: int | None


@dataclass(frozen=True, slots=True)
class _Checked:
    """What a pipeline is opened from, once it is known to fit together."""

    asked: _LoadArguments
    parts: Sequence[Part]
    base: KnowledgeBase
    rules: Rules | None


def load_relations(
    kb: str | Path | KnowledgeBase = DEFAULT_KB,
    *,
    model: Model,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Pipeline:
    """The part of a model that relates entities, for documents that are linked already."""
    base = kb if isinstance(kb, KnowledgeBase) else open_kb(kb)
    folder = find_model(model)
    if roles_of(folder).adds != {RELATIONS}:
        raise UsageError(f"{folder}: holds a {kind_of(folder).name}, which relates nothing")
    options = Options(threads=threads, progress=progress or ignore_progress)
    return Pipeline([kind_of(folder).open(folder, base, options)])


def relates(model: Model) -> bool:
    """Whether a part of the model adds relations."""
    return any(RELATIONS in roles_of(folder).adds for folder in model_parts(model))


def prepare_kb(
    kb: KnowledgeBase, *, model: Model = DEFAULT_MODEL, progress: Progress = ignore_progress
) -> None:
    """Make and keep all that a model needs of a knowledge base, before it first links.

    An ArtifactError if it cannot be written.
    """
    for folder in model_parts(model):
        kind_of(folder).prepare(folder, kb, progress)


def _absolute(model: Models) -> str | tuple[str, ...]:
    """The model's folder, or its parts', which `load` finds again from anywhere."""
    if isinstance(model, str | Path):
        return str(find_model(model).absolute())
    return tuple(str(find_model(part).absolute()) for part in model)


def _steps(checked: _Checked, progress: Progress) -> Iterator[AnyStep]:
    """The opened parts; the rules' names behind what finds, and what stands behind every linker."""
    asked, parts, rules = checked.asked, checked.parts, checked.rules
    kb = with_own_types(checked.base, asked.only)
    after = list(_after_linking(asked, checked.base, kb, rules))
    finds = [part for part in parts if MENTIONS in part.roles.adds]
    links = [part for part in parts if LINKS in part.roles.adds]
    options = Options(
        only=None if asked.only is None else tuple(asked.only),
        top=max(asked.top, LOOKED_AT) if has_species(kb, asked.only) else asked.top,
        nested=asked.nested,
        threads=asked.threads,
        progress=progress,
    )
    for part in parts:
        yield kind_of(part.folder).open(part.folder, kb, options)
        if rules and part in finds[-1:]:
            yield rules.find
        if part in links[-1:]:
            yield from after


def _after_linking(
    asked: _LoadArguments, base: KnowledgeBase, kb: KnowledgeBase, rules: Rules | None
) -> Iterator[AnyStep]:
    """Species, variants, the least score, the rules' links, and other vocabularies' ids."""
    strict = MinScore(asked.min_score)
    if has_species(kb, asked.only):
        yield GenesBySpecies(kb, top=asked.top)
    if variants := variant_linker(kb, only=asked.only, top=asked.top):
        yield variants
    if asked.min_score:
        yield strict
    if rules:
        yield rules.decide
    if asked.map_to is not None:
        yield MapIds(IdMapper(base, asked.map_to))
