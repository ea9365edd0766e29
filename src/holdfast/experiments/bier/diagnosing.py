"""What `holdfast diagnose` does: labelled mentions, disambiguation, or the linker's errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np

from holdfast.corpora.named import load_corpus
from holdfast.corpora.named.splits import parse_splits
from holdfast.document import Document
from holdfast.errors import UsageError
from holdfast.experiments.bier.disambiguation import ask, cases_of
from holdfast.experiments.bier.disambiguation_set import load_questions
from holdfast.experiments.bier.represented import joined_sets, represent_split
from holdfast.experiments.given import blank
from holdfast.kb.store import KnowledgeBase, open_kb
from holdfast.models import find_model
from holdfast.pipeline import load
from holdfast.progress import Progress
from holdfast.systems.bier.agreement import TypesOfEntities
from holdfast.systems.bier.diagnosis.diagnose import Answer, Case, Diagnosis, diagnosis_of
from holdfast.systems.bier.diagnosis.report import write_label_report, write_page
from holdfast.systems.bier.model import TypingModel
from holdfast.systems.bier.stored import Represented, read_represented
from holdfast.systems.bier.type_list import read_weights


@dataclass(frozen=True, slots=True)
class DiagnoseRequest:
    """The options of `holdfast diagnose`; docs/cli.md says what each means."""

    what: str  # "labels", "disambiguation" or "linker"
    out: Path
    on: str = ""  # "bionlp13cg test", or a file that `represent` wrote
    neighbours: tuple[str, ...] = ()
    type_model: str = ""
    description_model: str = ""
    kb: str = "open"
    model: str = "default"
    weights: Path | None = None
    documents: int | None = None
    data: Path = Path()


def run_diagnosis(request: DiagnoseRequest, *, progress: Progress) -> Diagnosis:
    """Write the page and return what it shows."""
    runs = {
        "labels": _labels,
        "disambiguation": _disambiguation,
        "linker": _linker,
    }
    if request.what not in runs:
        raise UsageError(f"{request.what!r} cannot be diagnosed; there is: {', '.join(runs)}")
    return runs[request.what](request, progress)


def _labels(request: DiagnoseRequest, progress: Progress) -> Diagnosis:
    """Nearest neighbours of labelled mentions, from corpora or from files."""
    if not request.on or not request.neighbours:
        raise UsageError("name what is classified with --on and labelled mentions --neighbours")
    queries = _represented(request, request.on, progress)
    stored = joined_sets([_represented(request, one, progress) for one in request.neighbours])
    if queries.types != stored.types:
        raise UsageError("--on and --neighbours are of two models; represent both with one")
    if request.weights is not None:
        factors = np.sqrt(read_weights(request.weights, stored.types))
        queries, stored = (
            replace(part, sparse=part.sparse.weighted(factors)) for part in (queries, stored)
        )
    title = f"Label classification: {request.on}"
    return write_label_report(queries, stored, request.out, title=title)


def _represented(request: DiagnoseRequest, name: str, progress: Progress) -> Represented:
    if name.endswith(".arrow"):
        return read_represented(Path(name))
    ((corpus, split),) = parse_splits([name])
    model = TypingModel.open(find_model(request.type_model))
    return represent_split(model, corpus, split, data=request.data, progress=progress)


def _disambiguation(request: DiagnoseRequest, progress: Progress) -> Diagnosis:
    kb = open_kb(request.kb)
    questions = load_questions(kb, data=request.data, progress=progress)
    wanted = [q for q in questions if q.split == (request.on or "test")]
    models = (request.type_model, request.description_model)
    asked = ask(wanted, *(TypingModel.open(find_model(name)) for name in models))
    names = TypingModel.open(find_model(request.type_model)).types.names
    found = diagnosis_of(f"Disambiguation: {request.on or 'test'}", names, cases_of(asked))
    write_page(found, request.out)
    return found


def _linker(request: DiagnoseRequest, progress: Progress) -> Diagnosis:
    """The linker's own errors on a corpus, told by the types of mentions and of entities."""
    if not request.on:
        raise UsageError("name annotated documents with --on, such as 'bc5cdr dev' or a file")
    kb = open_kb(request.kb)
    model = TypingModel.open(find_model(request.type_model))
    ((corpus, split),) = parse_splits([request.on])
    documents = list(islice(load_corpus(corpus, split, data=request.data), request.documents))
    linked = load(kb, model=request.model, marked=True).pipe(map(blank, documents))
    entities = TypesOfEntities(kb, model)
    cases = list[Case]()
    for number, (gold, found) in enumerate(zip(documents, linked, strict=True)):
        progress("linking", number / max(1, len(documents)))
        cases += linker_cases(gold, found, kb, model, entities)
    diagnosis = diagnosis_of(f"Errors of the linker: {request.on}", model.types.names, cases)
    write_page(diagnosis, request.out)
    return diagnosis


def linker_cases(
    gold: Document,
    found: Document,
    kb: KnowledgeBase,
    model: TypingModel,
    entities: TypesOfEntities,
) -> Sequence[Case]:
    """Each linked gold mention, with the entity that was found and the one that it is."""
    rows = model.rows_of(gold.text, [mention.spans for mention in gold.mentions])
    if not rows:
        return []
    vectors = model.encode(rows).sparse

    def answer(id: str) -> Answer:
        types = entities.of(id)
        row = kb.row_of(id)
        label = "" if row is None else kb.label_at(row)
        return Answer(label or id, id, types, np.ones(len(types), dtype=np.float32))

    cases = list[Case]()
    for at, (mention, answered) in enumerate(zip(gold.mentions, found.mentions, strict=True)):
        known = [id for id in mention.ids if id in kb]
        if not known:
            continue
        said = answered.ids[0] if answered.ids else "NIL"
        is_right = any(said in kb.equivalents(id) for id in known)
        cases.append(
            Case(
                gold.text_of(mention),
                gold.id,
                known[0],
                vectors.types[at],
                vectors.values[at],
                answer(said),
                is_right,
                counterfactual=answer(known[0]),
            )
        )
    return cases
