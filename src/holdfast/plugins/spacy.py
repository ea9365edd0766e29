"""Holdfast in spaCy: `nlp.add_pipe("holdfast")`.

    import spacy

    nlp = spacy.blank("en")
    nlp.add_pipe("holdfast", config={"kb": "open"})
    for ent in nlp("Lithium carbonate toxicity in a newborn infant.").ents:
        print(ent.text, ent.label_, ent.kb_id_, ent._.holdfast["candidates"][0]["score"])

`doc.ents` has the entities, of which no two may overlap. `doc.spans["holdfast"]` has every
mention, nested ones too, and `doc._.holdfast` the whole answer as plain data, in the JSON form of a
Document. With `marked`, the entities that are there already are linked, and none is added.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.util import filter_spans, minibatch

from holdfast.document import Document, Mention
from holdfast.errors import UsageError
from holdfast.pipeline import Pipeline, load

NAME: Final = "holdfast"
"""Of the factory, of the attributes `doc._.holdfast` and `ent._.holdfast`, and of the spans."""

_DEFAULTS: Final = {
    "kb": "open",
    "model": "default",
    "only": None,
    "marked": False,
    "top": 5,
    "min_score": 0.0,
    "nested": False,
    "rules": None,
    "map_to": None,
    "threads": None,
    "overwrite_ents": False,
}
_ALIGNMENT: Final = "expand"  # a mention that ends inside a token gets the whole token


@Language.factory(  # type: ignore[untyped-decorator]
    NAME,
    default_config=_DEFAULTS,
    assigns=[
        *("doc.ents", "doc.spans", "doc._.holdfast", "span._.holdfast"),
        *("token.ent_iob", "token.ent_type", "token.ent_kb_id"),
    ],
)
def make_holdfast(
    nlp: Language,  # noqa: ARG001  spaCy names it
    name: str,  # noqa: ARG001
    *,
    kb: str,
    model: str | list[str],
    only: list[str] | None,
    marked: bool,
    top: int,
    min_score: float,
    nested: bool,
    rules: str | None,
    map_to: str | None,
    threads: int | None,
    overwrite_ents: bool,
) -> HoldfastPipe:
    """The component; every option but `overwrite_ents` is one of `holdfast.load`."""
    pipeline = load(
        kb,
        model=model if isinstance(model, str) else tuple(model),
        only=only,
        marked=marked,
        top=top,
        min_score=min_score,
        nested=nested,
        rules=rules,
        map_to=map_to,
        threads=threads,
    )
    return HoldfastPipe(pipeline, marked=marked, overwrite_ents=overwrite_ents)


class HoldfastPipe:
    """A component of spaCy around a pipeline of Holdfast.

    It can be pickled and sent to other processes, where the pipeline is loaded again.
    """

    def __init__(self, pipeline: Pipeline, *, marked: bool, overwrite_ents: bool) -> None:
        """`marked`: link the entities of the Doc instead of finding any.

        `overwrite_ents`: of entities that overlap, those that Holdfast finds stay; by default
        those that were there before do.
        """
        register_attributes()
        self.pipeline = pipeline
        self.marked = marked
        self.overwrite_ents = overwrite_ents

    def __call__(self, doc: Doc) -> Doc:
        return self._filled(doc, self.pipeline(self._document(doc)))

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Many Docs, in order; networks work on several of a batch at once."""
        for docs in minibatch(stream, size=batch_size):
            batch = list(docs)
            linked = self.pipeline.pipe(map(self._document, batch))
            for doc, document in zip(batch, linked, strict=True):
                yield self._filled(doc, document)

    def _document(self, doc: Doc) -> Document:
        """The Doc's text, with its entities as mentions where they are to be linked."""
        if not self.marked:
            return Document("", doc.text)
        mentions = (Mention.at(e.start_char, e.end_char, e.label_) for e in doc.ents)
        return Document("", doc.text, mentions=tuple(mentions))

    def _filled(self, doc: Doc, document: Document) -> Doc:
        before = [] if self.marked else list(doc.ents)
        ids = [ent.ent_id_ for ent in doc.ents] if self.marked else []
        spans = [_span(doc, mention) for mention in document.mentions]
        for span, id in zip(spans, ids, strict=False):
            span.id_ = id
        ours = filter_spans(spans)
        doc.ents = _without_overlaps(*((ours, before) if self.overwrite_ents else (before, ours)))
        doc.spans[NAME] = spans
        plain = document.to_json()
        doc._.holdfast = plain
        for span, mention in zip(reversed(spans), reversed(plain.get("mentions", [])), strict=True):
            span._.holdfast = mention
        return doc

    def to_bytes(self, **_: Any) -> bytes:
        """What the pipeline was made of, to be compared when it is loaded again."""
        return json.dumps({"digest": self.pipeline.digest}).encode()

    def from_bytes(self, data: bytes, **_: Any) -> HoldfastPipe:
        """Warn if the stored pipeline ran other models than this one."""
        try:
            stored = json.loads(data)["digest"]
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(f"not what Holdfast stored for spaCy: {error}") from error
        if stored != self.pipeline.digest:
            warnings.warn(
                "Holdfast's models or knowledge base are other ones than when this pipeline was "
                "stored; its answers may differ",
                stacklevel=2,
            )
        return self

    def to_disk(self, path: str | Path, **_: Any) -> None:
        """Write a small JSON file; knowledge base, model and rules are named, not copied."""
        Path(path).write_bytes(self.to_bytes())

    def from_disk(self, path: str | Path, **_: Any) -> HoldfastPipe:
        """See `from_bytes`."""
        return self.from_bytes(Path(path).read_bytes())


def register_attributes() -> None:
    """Give Docs and Spans the attribute `_.holdfast`, for Docs that another process filled.

    Whoever reads a DocBin without a component of Holdfast calls this first.
    """
    for kind in (Doc, Span):
        if not kind.has_extension(NAME):
            kind.set_extension(NAME, default=None)


def _span(doc: Doc, mention: Mention) -> Span:
    """The tokens from a mention's first to its last; an interrupted one includes what is between.

    `kb_id` is the first id of a composite; `ent._.holdfast["ids"]` has all.
    """
    kb_id = mention.ids[0] if mention.ids else ""
    label = mention.type or "ENTITY"
    return doc.char_span(
        mention.start, mention.end, label=label, kb_id=kb_id, alignment_mode=_ALIGNMENT
    )


def _without_overlaps(first: Sequence[Span], second: Sequence[Span]) -> list[Span]:
    """`first`, plus the spans of `second` that overlap none of it."""
    taken = {token for span in first for token in range(span.start, span.end)}
    free = (s for s in second if taken.isdisjoint(range(s.start, s.end)))
    return sorted([*first, *free], key=lambda span: span.start)
