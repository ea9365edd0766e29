"""A small world to learn types in: concepts with a hierarchy, and sentences about them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

from holdfast.document import Document, Mention
from holdfast.kb import Entry, KnowledgeBase, Link, build_kb, kb_folder
from small_kb import MESH, MONDO

DISEASES = ("glioma", "myeloma", "sarcoma", "adenoma")
DRUGS = ("cisplatin", "lithium", "aspirin", "heparin")
ORGANS = ("thyroid", "kidney", "spleen", "retina")
SENTENCES = {
    "Disease": "Patients with {} died of the tumour within a year of treatment.",
    "Chemical": "The patients received {} by mouth at a daily dose of ten milligrams.",
    "Anatomy": "Tissue of the {} was stained and seen under the microscope.",
}
OF_TYPE = {"Disease": DISEASES, "Chemical": DRUGS, "Anatomy": ORGANS}


def entries() -> Iterator[Entry]:
    """Two levels above each concept."""
    yield Entry("MESH:D1", "Neoplasms", types=("Disease",), links=(Link("is_a", "MESH:D0"),))
    yield Entry("MESH:D0", "Diseases", types=("Disease",))
    yield Entry("MESH:C1", "Drugs", types=("Chemical",), links=(Link("is_a", "MESH:C0"),))
    yield Entry("MESH:C0", "Chemicals", types=("Chemical",))
    yield Entry("MESH:A1", "Organs", types=("Anatomy",))
    for type, parent, letter in (
        ("Disease", "MESH:D1", "D"),
        ("Chemical", "MESH:C1", "C"),
        ("Anatomy", "MESH:A1", "A"),
    ):
        for number, name in enumerate(OF_TYPE[type]):
            yield Entry(
                f"MESH:{letter}1{number}",
                name,
                types=(type,),
                definition=f"A {name} is one of the {parent}.",
                xrefs=("MONDO:1",) if name == "glioma" else (),
                links=(Link("is_a", parent),),
            )


MONDO_ENTRIES = (
    Entry("MONDO:0", "neoplasm", types=("Disease",)),
    Entry("MONDO:2", "brain disorder", types=("Disease",)),
    Entry(
        "MONDO:1",
        "glial tumour",
        types=("Disease",),
        xrefs=("MESH:D10",),
        links=(Link("is_a", "MONDO:0"), Link("is_a", "MONDO:2")),
    ),
)


def make_world(name: str = "world") -> KnowledgeBase:
    """The knowledge base, in the home folder."""
    folder = kb_folder(name)
    build_kb(folder, name=name, parts=[(MESH, entries()), (MONDO, MONDO_ENTRIES)])
    return KnowledgeBase(folder)


def documents(count: int, *, seed: int = 0) -> list[Document]:
    """Texts of three sentences, with their mentions marked and typed."""
    rng = random.Random(seed)
    found = []
    for number in range(count):
        text, mentions = "", []
        for type in rng.sample(sorted(OF_TYPE), k=3):
            name = rng.choice(OF_TYPE[type])
            sentence = SENTENCES[type].format(name)
            start = len(text) + sentence.index(name)
            mentions.append(Mention.at(start, start + len(name), type))
            text += sentence + " "
        found.append(Document(f"{seed}-{number}", text.strip(), mentions=tuple(mentions)))
    return found


def write_texts(path: Path, count: int, *, seed: int = 0) -> Path:
    """The documents as JSON lines, without their mentions."""
    lines = (json.dumps({"id": d.id, "text": d.text}) for d in documents(count, seed=seed))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
