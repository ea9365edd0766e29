"""The JSON that requests and answers are made of, as OpenAPI describes it.

Requests are checked against these models; answers are written by the values' own `to_json`, and
the models of answers are documentation that a test holds against them.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

MAX_TOP: Final = 50
MAX_QUERY: Final = 1_000


def _whole(text: str) -> str:
    """The text, if UTF-8 can hold it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("a lone surrogate is no character") from None
    return text


Text = Annotated[str, AfterValidator(_whole)]
Name = Annotated[Text, Field(min_length=1, max_length=200)]
Offset = Annotated[int, Field(ge=0, le=2**31 - 1)]
OneSpan = Annotated[list[Offset], Field(min_length=2, max_length=2)]
Spans = Annotated[list[OneSpan], Field(min_length=1, max_length=100)]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class PipelineOptions(_Request):
    """What is asked of the pipeline; each means what it means for `holdfast link`."""

    kb: Name | None = Field(
        default=None, description="A knowledge base that is served; else the first."
    )
    model: Name | None = Field(default=None, description="A model that is served; else the first.")
    only: list[Name] | None = Field(
        default=None, min_length=1, max_length=100, description="Types to find and link."
    )
    top: int = Field(
        default=5, ge=1, le=MAX_TOP, description="How many candidates each mention keeps."
    )
    min_score: float = Field(
        default=0.0, ge=0.0, le=1.0, description="Links that score less become NIL."
    )
    nested: bool = Field(default=False, description="Also find mentions inside longer ones.")
    map_to: Name | None = Field(
        default=None, description="Give ids of this vocabulary: UMLS, MONDO, …"
    )
    types: bool = Field(
        default=False, description="Also say in words what kind of thing each mention is."
    )


class PassageIn(_Request):
    kind: Annotated[Text, Field(max_length=1_000)]
    start: Offset
    end: Offset


class TextIn(_Request):
    """A document without mentions."""

    id: Text = Field(default="", max_length=1_000)
    text: Text
    passages: list[PassageIn] = Field(default=[], max_length=10_000)


class MentionIn(_Request):
    """Where a mention stands: `[start, end]` in Unicode code points, the end exclusive."""

    spans: Spans
    type: Text = Field(default="", max_length=200)
    id: Text = Field(default="", max_length=1_000)


class MarkedIn(TextIn):
    """A document whose mentions are given."""

    mentions: list[MentionIn] = Field(max_length=100_000)


class AnnotateRequest(PipelineOptions):
    """One text, or several documents."""

    text: Text | None = None
    documents: list[TextIn] | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.text is None) == (self.documents is None):
            raise ValueError("give either text or documents")
        return self


class LinkRequest(PipelineOptions):
    """Strings that stand in no text, or documents whose mentions are given."""

    strings: list[Text] | None = None
    documents: list[MarkedIn] | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.strings is None) == (self.documents is None):
            raise ValueError("give either strings or documents")
        return self


class SearchRequest(_Request):
    q: Annotated[Text, Field(min_length=1, max_length=MAX_QUERY, description="A name, or an id.")]
    prefix: bool = Field(
        default=False, description="Type-ahead: names that begin with q come first."
    )
    top: int = Field(default=10, ge=1, le=100, description="How many entities.")
    kb: Name | None = None


class ExplainRequest(PipelineOptions):
    """A text and either the place of one mention or a term that was expected in it."""

    text: Text
    spans: Spans | None = None
    type: Text = Field(default="", max_length=200)
    term: Annotated[Text, Field(min_length=1, max_length=MAX_QUERY)] | None = None
    top: int = Field(default=20, ge=1, le=MAX_TOP)

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.spans is None) == (self.term is None):
            raise ValueError("give either spans or term")
        return self


class _Answer(BaseModel):
    """Keys that are empty are left out of mentions and candidates."""


class EvidenceOut(_Answer):
    kind: str
    detail: str | None = None
    score: float | None = None


class CandidateOut(_Answer):
    entity_id: str
    name: str | None = None
    label: str | None = None
    score: float
    evidence: list[EvidenceOut] | None = None


class TypeScoreOut(_Answer):
    name: str
    score: float


class MentionOut(_Answer):
    id: str | None = None
    spans: list[list[int]]
    text: str
    type: str | None = None
    ids: list[str] | None = None
    parts: list[str] | None = None
    status: str | None = None
    candidates: list[CandidateOut] | None = None
    types: list[TypeScoreOut] | None = Field(
        default=None, description="What kind of thing it is, most probable first."
    )


class DocumentOut(_Answer):
    id: str
    text: str
    passages: list[dict[str, Any]] | None = None
    mentions: list[MentionOut] | None = None
    relations: list[dict[str, Any]] | None = None
    metadata: list[list[str]] | None = None


class DocumentsOut(_Answer):
    documents: list[DocumentOut]


class LinkedStringOut(_Answer):
    string: str
    ids: list[str]
    candidates: list[CandidateOut]
    nearest: CandidateOut | None


class RowsOut(_Answer):
    rows: list[LinkedStringOut]


class FoundOut(_Answer):
    id: str
    label: str
    name: str
    name_source: str
    score: float
    types: list[str]
    source: str


class SearchOut(_Answer):
    found: list[FoundOut]


class RelatedOut(_Answer):
    id: str
    label: str


class NamedOut(_Answer):
    name: str
    source: str


class EntityOut(_Answer):
    id: str
    label: str
    synonyms: list[str]
    name_sources: list[NamedOut]
    types: list[str]
    definition: str
    xrefs: list[str]
    links: list[list[str]]
    source: str
    parents: list[RelatedOut]
    children: list[RelatedOut]
    n_children: int


class ChangeOut(_Answer):
    entity_id: str
    label: str
    alone: float | None
    in_context: float | None


class ExplainOut(_Answer):
    found: bool | None = Field(
        default=None, description="Whether /v1/annotate finds this very mention."
    )
    mention: MentionOut | None = None
    alone: MentionOut | None = Field(
        default=None, description="The same words linked without the text."
    )
    context: list[ChangeOut] | None = Field(
        default=None, description="Scores that the text changed."
    )
    summary: list[str] | None = None
    why_not: dict[str, Any] | None = Field(default=None, description="What became of the term.")


class TypeOut(_Answer):
    type: str
    entities: int


class TypesOut(_Answer):
    kb: str
    types: list[TypeOut]


class ModelsOut(_Answer):
    version: str
    models: list[dict[str, Any]]
    typing_model: dict[str, Any] | None = Field(
        description="The model of the option `types`; null if it is not here."
    )
    knowledge_bases: list[dict[str, Any]]
    limits: dict[str, float]


class ErrorBody(_Answer):
    code: str
    message: str
    details: list[dict[str, Any]]


class JobOut(_Answer):
    id: str
    status: Literal["waiting", "running", "done", "failed"]
    documents: int
    done: int
    format: str
    error: ErrorBody | None


class JobsOut(_Answer):
    jobs: list[JobOut]


class ErrorOut(_Answer):
    """What every error looks like. No error quotes the text of a request."""

    error: ErrorBody
