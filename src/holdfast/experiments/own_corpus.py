"""Training on a corpus of one's own: what is in it, what of it can be learned, and the recipe."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from holdfast.corpora.named import load_corpus, load_training
from holdfast.corpora.named.splits import TrainingPart, parse_splits
from holdfast.document import Document
from holdfast.errors import UsageError
from holdfast.experiments.recipe import KbSpec, Recipe, Train
from holdfast.experiments.recipe_kb import primary_ids
from holdfast.experiments.train import train_recipe
from holdfast.kb.own_types import own_types
from holdfast.kb.store import KnowledgeBase, open_kb
from holdfast.models import check_replaceable, trained_models
from holdfast.progress import Log
from holdfast.types import TYPES, canonical_type, type_key

LINKER: Final = "linker"
DETECTOR: Final = "detector"
MULTITASK: Final = "multitask"
_KINDS: Final = {LINKER: "name ranker", DETECTOR: "detector", MULTITASK: "multi-task model"}
_PASSES: Final = 8.0  # over a corpus, for a multi-task model
_SHOWN: Final = 5  # of the ids and types that a line names


@dataclass(frozen=True, slots=True)
class OwnCorpus:
    """What to train on. All are files or folders in any format that Holdfast reads."""

    corpus: tuple[Path, ...]
    dev: Path | None  # to measure and to choose on; its documents are not learned
    kb: str  # a name or a folder


@dataclass(frozen=True, slots=True)
class Counts:
    """What documents hold that can be learned, and what cannot."""

    documents: int
    types: Counter[str]  # of mentions; "" where one has none
    unknown_types: Counter[str]  # types that neither Holdfast nor the knowledge base has
    ids: int  # how many ids the mentions have, all together
    unknown_ids: Counter[str]  # ids that the knowledge base does not have
    without_id: int  # mentions
    linked: int  # mentions with an id that the knowledge base has

    @property
    def mentions(self) -> int:
        return self.types.total()

    def lines(self, kb: KnowledgeBase) -> Iterator[str]:
        """A few lines for people."""
        yield f"{self.documents:,} documents, {self.mentions:,} mentions"
        yield f"types: {_listed(self.types, len(self.types))}"
        if self.unknown_types:
            yield (
                f"types that neither Holdfast nor {kb.name!r} knows: "
                f"{_listed(self.unknown_types, _SHOWN)}"
            )
        if self.unknown_ids:
            count = self.unknown_ids.total()
            yield (
                f"ids that {kb.name!r} does not have: {count:,} of {self.ids:,} "
                f"({100 * count / self.ids:.0f} %), {_listed(self.unknown_ids, _SHOWN)}"
            )
        if self.without_id:
            yield f"mentions without an id: {self.without_id:,}"


def train_own(
    what: str,
    own: OwnCorpus,
    *,
    out: Path,
    force: bool = False,
    encoder: Path | None = None,
    settings: dict[str, Any] | None = None,
    report: Log,
) -> None:
    """Train a linker, a detector or a multi-task model on a corpus of one's own, into `out`.

    `encoder` is the name encoder or the Hugging Face folder to begin with, `settings` what the
    [train] of a recipe could say besides. What the corpus holds, and what of it cannot be learned,
    is reported first. A UsageError if nothing can be.
    """
    if what not in _KINDS:
        known = " or ".join(f"`holdfast train {name}`" for name in _KINDS)
        raise UsageError(f"{what!r} is not trained on your own --corpus; {known} is")
    for path in (*own.corpus, *([own.dev] if own.dev else [])):
        if not path.exists():
            raise UsageError(f"{path}: there is no such file or folder")
    check_replaceable(out, force=force)
    kb = open_kb(own.kb)
    recipe = own_recipe(what, own, kb, settings=settings or {})
    _check(what, recipe, kb, report)
    train_recipe(recipe, data=Path(), out=out, encoder=encoder, report=report)
    if out.absolute().parent != trained_models().absolute():
        report(f"link with it: `holdfast link --kb {own.kb} --model {out} TEXT`")


def own_recipe(
    what: str, own: OwnCorpus, kb: KnowledgeBase, *, settings: dict[str, Any] | None = None
) -> Recipe:
    """The recipe that trains a model on these files over this knowledge base."""
    on = tuple(str(path.absolute()) for path in own.corpus)
    base = str(kb.folder.absolute())
    return Recipe(
        name="your own corpus",
        title=f"A {what} trained on your own corpus",
        train=Train(
            kind=_KINDS[what],
            on=on,
            select=str(own.dev.absolute()) if own.dev else "",
            settings={**_usual(what, on, base), **(settings or {})},
        ),
        kb=KbSpec(get=base),
    )


def _usual(what: str, on: tuple[str, ...], kb: str) -> dict[str, Any]:
    """The settings of [train] that are not the kind's defaults."""
    if what == DETECTOR:
        return {"vocabularies": (kb,)}
    if what == MULTITASK:
        return {"passes": _PASSES, "sampled_classes": 2000, "precision": "bfloat16"}
    # The encoder that ships has not seen these documents, so that it can be fitted with.
    return {
        "encoder": "encoder",
        "start": LINKER,
        "names_of": on,
        "typed": True,
        "fit": {"forgetful": 0.3},
    }


def own_settings(what: str, *, passes: float | None) -> dict[str, Any]:
    """What the options of the command say, as settings of [train]."""
    if passes is None:
        return {}
    if what == LINKER:
        raise UsageError("--passes is for a detector or a multi-task model")
    return {"passes": passes}


def count_documents(documents: Sequence[Document], kb: KnowledgeBase) -> Counts:
    """Count mentions, types and ids, and which of them the knowledge base does not have."""
    known_types = {type_key(type) for type in own_types(kb)}
    known = primary_ids(kb)
    types, unknown_types, unknown_ids = Counter[str](), Counter[str](), Counter[str]()
    ids = without_id = linked = 0
    for mention in (mention for document in documents for mention in document.mentions):
        type = canonical_type(mention.type)
        types[type] += 1
        unknown_types[type] += bool(type) and not (type in TYPES or type_key(type) in known_types)
        own = mention.ids if mention.is_linked else ()
        lacking = [id for id in own if id not in known]
        unknown_ids.update(lacking)
        ids, without_id = ids + len(own), without_id + (not own)
        linked += len(lacking) < len(own)
    return Counts(len(documents), types, +unknown_types, ids, unknown_ids, without_id, linked)


def _check(what: str, recipe: Recipe, kb: KnowledgeBase, report: Log) -> None:
    """Log what the files hold; a UsageError if nothing is left to learn or to measure."""
    train = recipe.trained
    selected = parse_splits([train.select]) if train.select else []
    training = load_training(parse_splits(train.on), evaluated=selected, data=Path())
    for part in training.parts:
        if part.removed:
            report(_removed(part))
    for name, documents in (
        ("--corpus", list(training.documents)),
        *(("--dev", list(load_corpus(*split, data=Path()))) for split in selected),
    ):
        counts = count_documents(documents, kb)
        for line in counts.lines(kb) if counts.mentions else ():
            report(f"{name}: {line}")
        _check_counts(name, what, counts, kb)


def _check_counts(name: str, what: str, counts: Counts, kb: KnowledgeBase) -> None:
    if not counts.documents:
        raise UsageError(f"{name}: no document is left")
    if not counts.mentions:
        raise UsageError(f"{name}: no mentions in {counts.documents:,} documents")
    if what in (LINKER, MULTITASK) and not counts.linked:
        raise UsageError(
            f"{name}: no mention has an id that {kb.name!r} has; is --kb the right vocabulary?"
        )
    if what == DETECTOR and counts.types.keys() == {""}:
        raise UsageError(f"{name}: no mention has a type, which is what a detector learns")


def _removed(part: TrainingPart) -> str:
    by_id = sum(removal.reason == "id" for removal in part.removed)
    return (
        f"{Path(part.corpus).name}: {len(part.removed):,} documents are left out, since --dev has "
        f"them too ({by_id:,} by id, {len(part.removed) - by_id:,} by text)"
    )


def _listed(counts: Counter[str], most: int) -> str:
    """The most frequent, with their counts."""
    shown = ", ".join(f"{what or 'none'} {count:,}" for what, count in counts.most_common(most))
    return f"{shown}, …" if len(counts) > most else shown
