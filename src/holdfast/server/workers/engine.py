"""What a worker can do: run pipelines over documents, and explain them.

Requests and answers are plain JSON values, because they travel between processes. Documents come
back as JSON text, ready to be sent: the same text that `holdfast link --json` prints.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, Final

from holdfast.document import Document
from holdfast.errors import HoldfastError, UsageError
from holdfast.io.linked_strings import StringLinker, string_linker
from holdfast.io.why_not import why_not
from holdfast.kb.store import KnowledgeBase, open_kb
from holdfast.link.rules import read_rules
from holdfast.mention import mention_from_json
from holdfast.pipeline import Pipeline, load
from holdfast.server.failures import Failure, without_values
from holdfast.server.settings import Settings
from holdfast.server.workers.explain import explain
from holdfast.server.workers.tasks import PipelineChoice, Task
from holdfast.text.safe import json_safe

_UNLISTED: Final = "zebra-stripe syndromes were treated with xylomabumab."
_KEPT: Final = 4  # pipelines with options of their own, of which each has its networks in memory


class WorkerEngine:
    """Runs tasks, one at a time, with pipelines that it loads when they are first asked for."""

    def __init__(self, settings: Settings, *, threads: int | None = None) -> None:
        """`threads` of each network; None: as many as there are cores."""
        self._settings = settings
        self._threads = threads
        self._kbs = {name: open_kb(name) for name in settings.kbs}
        self._pipelines: OrderedDict[tuple[PipelineChoice, bool], Pipeline] = OrderedDict()
        self._strings: dict[PipelineChoice, StringLinker] = {}
        self._operations: dict[str, Callable[[Task], dict[str, Any]]] = {
            "annotate": self._annotate,
            "link": self._link,
            "strings": self._link_strings,
            "explain": self._explain,
            "why_not": self._why_not,
            "self_test": self._self_test,
        }
        self._self_test({})

    def run(self, task: Task) -> dict[str, Any]:
        """The answer to a task, or `{"failure": {code, message}}`."""
        try:
            return self._operations[task["operation"]](task)
        except Failure as failure:
            return {"failure": {"code": failure.code, "message": failure.message}}

    def _annotate(self, task: Task) -> dict[str, Any]:
        pipeline = self._pipeline(_choice(task))
        return {"documents": [_text_of(pipeline(_document(data))) for data in task["documents"]]}

    def _link(self, task: Task) -> dict[str, Any]:
        pipeline = self._pipeline(_choice(task), marked=True)
        return {"documents": [_text_of(pipeline(_document(data))) for data in task["documents"]]}

    def _link_strings(self, task: Task) -> dict[str, Any]:
        choice = _choice(task)
        pipeline = self._pipeline(choice, marked=True)
        if choice not in self._strings:
            kb = self._kb(choice)
            self._strings[choice] = string_linker(kb, pipeline, only=choice.only)
        linked = self._strings[choice].fresh().link(task["strings"])
        return {"rows": [_dumped(string.to_json()) for string in linked]}

    def _explain(self, task: Task) -> dict[str, Any]:
        choice = _choice(task)
        return explain(
            Document("", task["text"]),
            mention_from_json(task["mention"]),
            pipeline=self._pipeline(choice),
            link=self._pipeline(choice, marked=True),
        )

    def _why_not(self, task: Task) -> dict[str, Any]:
        choice = _choice(task)
        kb = self._kb(choice)
        rules = None if self._settings.rules is None else read_rules(self._settings.rules, kb)
        answer = why_not(
            Document("", task["text"]),
            task["term"],
            pipeline=self._pipeline(choice),
            kb=kb,
            rules=rules,
        )
        return {"why_not": answer.to_json()}

    def _self_test(self, _task: Task) -> dict[str, Any]:
        """Link a text with each model and knowledge base. Its words are no names, so that what
        compares names by likeness is opened too."""
        for name, kb in self._kbs.items():
            for model in self._settings.models:
                known = kb.label_at(0) if len(kb) else "nothing"
                self._pipeline(PipelineChoice(name, model))(f"{known} or {_UNLISTED}")
        return {"ok": True}

    def _kb(self, choice: PipelineChoice) -> KnowledgeBase:
        return self._kbs[choice.kb]

    def _pipeline(self, choice: PipelineChoice, *, marked: bool = False) -> Pipeline:
        key = (choice, marked)
        if key not in self._pipelines:
            self._pipelines[key] = self._load(choice, marked=marked)
            self._forget()
        self._pipelines.move_to_end(key)
        return self._pipelines[key]

    def _load(self, choice: PipelineChoice, *, marked: bool) -> Pipeline:
        try:
            return load(
                self._kbs[choice.kb],
                model=choice.model,
                only=choice.only,
                marked=marked,
                top=choice.top,
                min_score=choice.min_score,
                nested=choice.nested and not marked,
                rules=self._settings.rules,
                map_to=choice.map_to,
                types=choice.types,
                threads=self._threads,
            )
        except UsageError as error:
            values = [*(choice.only or ()), choice.map_to or ""]
            raise Failure("invalid_option", without_values(str(error), values)) from None

    def _forget(self) -> None:
        """Drop the pipelines that were not asked for longest; those of the defaults stay."""
        kept = len(self._kbs) * len(self._settings.models) + _KEPT
        defaults = {
            PipelineChoice(kb, model) for kb in self._kbs for model in self._settings.models
        }
        for key in [*self._pipelines]:
            if len(self._pipelines) > kept and key[0] not in defaults:
                del self._pipelines[key]
                self._strings.pop(key[0], None)


def open_engine(settings: Settings, *, threads: int | None = None) -> WorkerEngine:
    """An engine, or a HoldfastError that names what is missing or damaged."""
    try:
        return WorkerEngine(settings, threads=threads)
    except Failure as failure:
        raise HoldfastError(failure.message) from None


def _choice(task: Task) -> PipelineChoice:
    return PipelineChoice.from_json(task["choice"])


def _document(data: Mapping[str, Any]) -> Document:
    return Document.from_json(data)


def _text_of(document: Document) -> str:
    return _dumped(document.to_json())


def _dumped(data: dict[str, Any]) -> str:
    return json_safe(json.dumps(data, ensure_ascii=False))
