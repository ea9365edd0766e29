"""Holdfast as tools of an assistant, over the Model Context Protocol: `holdfast mcp`.

The server talks over standard input and output, and opens no connection. Answers are the JSON that
the command line and the service give.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar, cast

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from holdfast import __version__
from holdfast.document import Document
from holdfast.errors import HoldfastError
from holdfast.io.why_not import why_not
from holdfast.link.rules import Rules, read_rules
from holdfast.pipeline import Pipeline, load
from holdfast.server.catalog import Catalog
from holdfast.server.failures import Failure
from holdfast.server.settings import Settings
from holdfast.server.workers.explain import explain
from holdfast.text.normalise import fold

MAX_TEXT: Final = 200_000  # characters of one text
_MOST: Final = 20  # mentions that one answer explains
_INSTRUCTIONS: Final = (
    "Finds biomedical mentions (diseases, chemicals, genes, species, variants and more) in text "
    "and links them to concepts of a knowledge base, with a calibrated score and the reason. Use "
    "`annotate` for text, `search` for a name, `entity` for all that is known of a concept, and "
    "`explain` for why a term was or was not linked. Ids are CURIEs such as MESH:D003924; the id "
    "NIL means that no concept fits."
)

Text = Annotated[str, Field(description="The text to read.", max_length=MAX_TEXT)]
Top = Annotated[int, Field(ge=1, le=50)]
Tool = TypeVar("Tool", bound=Callable[..., dict[str, Any]])


@dataclass(frozen=True, slots=True)
class Assistant:
    """What the tools work with: a pipeline, and the one that links what is already marked."""

    catalog: Catalog
    pipeline: Pipeline
    link: Pipeline
    rules: Rules | None = None

    def annotate(self, text: Text) -> dict[str, Any]:
        """Find the biomedical mentions of a text and link each to a concept.

        Returns the document: `mentions`, each with its spans (Unicode code points), type, ids and
        candidates with scores and evidence.
        """
        return self.pipeline(text).to_json()

    def search(
        self,
        query: Annotated[str, Field(description="A name or an id, well or badly spelled.")],
        top: Top = 10,
    ) -> dict[str, Any]:
        """Find concepts by name or id."""
        return self.catalog.search(query, kb=None, top=top, prefix=False)

    def entity(
        self, id: Annotated[str, Field(description="A CURIE, e.g. MESH:D003924.")]
    ) -> dict[str, Any]:
        """Return a concept's names, types, definition, cross-references, parents and children."""
        return self.catalog.entity(id, kb=None)

    def explain(
        self, text: Text, term: Annotated[str, Field(description="Words of the text.")]
    ) -> dict[str, Any]:
        """Say why a term of a text was linked as it was, or why it was not found.

        Returns the mentions that have the term in them, each with all candidates and evidence, the
        same words linked without the text, and what the text changed; and what became of the term
        at every place where it stands.
        """
        document = Document("", text)
        found = self.pipeline(document)
        having = [m for m in found.mentions if fold(term) in fold(found.text_of(m))]
        told = [
            explain(document, mention, pipeline=self.pipeline, link=self.link)
            for mention in having[:_MOST]
        ]
        kb = self.catalog.kb(None)
        absent = why_not(document, term, pipeline=self.pipeline, kb=kb, rules=self.rules)
        return {"mentions": told, "why_not": absent.to_json()}


def serve_assistant(
    *, kb: str, model: str, only: tuple[str, ...] | None, top: int, rules: Path | None
) -> None:
    """Load the pipeline and answer on standard input and output until that ends."""
    catalog = Catalog(Settings(kbs=(kb,), models=(model,), rules=rules))
    base = catalog.kb(None)
    assistant = Assistant(
        catalog=catalog,
        pipeline=load(base, model=model, only=only, top=top, rules=rules),
        link=load(base, model=model, only=only, top=top, rules=rules, marked=True),
        rules=None if rules is None else read_rules(rules, base),
    )
    make_server(assistant).run("stdio")


def make_server(assistant: Assistant) -> MCPServer[Any]:
    """The server with its four tools."""
    server: MCPServer[Any] = MCPServer(
        "holdfast", instructions=_INSTRUCTIONS, version=__version__, log_level="WARNING"
    )
    for tool in (assistant.annotate, assistant.search, assistant.explain, assistant.entity):
        server.add_tool(_in_one_line(tool), structured_output=True)
    return server


def _in_one_line(tool: Tool) -> Tool:
    """The tool, whose errors reach the assistant as the one line that they are."""

    @wraps(tool)
    def answered(*arguments: Any, **named: Any) -> dict[str, Any]:
        try:
            return tool(*arguments, **named)
        except HoldfastError as error:
            raise ToolError(str(error)) from error
        except Failure as failure:
            raise ToolError(failure.message) from failure

    return cast("Tool", answered)
