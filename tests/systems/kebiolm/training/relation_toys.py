"""Small documents in which drugs cause or spare diseases, and a small encoder that reads them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from holdfast.corpora import write_documents
from holdfast.document import Argument, Document, Mention, Relation
from holdfast.experiments.recipe import Evaluate, KbSpec, Recipe, Train
from holdfast.kb import Entry, KnowledgeBase, Link
from small_bert import save_small_bert
from small_kb import of_entries

DRUGS = ("aspirin", "digoxin", "haloperidol", "lithium", "morphine", "warfarin")
DISEASES = ("asthma", "bleeding", "catalepsy", "nausea", "seizure", "tremor")


def drug_id(name: str) -> str:
    return f"MESH:C{DRUGS.index(name)}"


def disease_id(name: str) -> str:
    return f"MESH:D{DISEASES.index(name)}"


def documents(count: int, *, seed: int = 0) -> list[Document]:
    """Two sentences, each of a drug that causes or spares a disease."""
    rng = np.random.default_rng(seed)
    return [_document(str(number), rng) for number in range(count)]


def _document(name: str, rng: np.random.Generator) -> Document:
    drugs = rng.choice(DRUGS, size=2, replace=False).tolist()
    diseases = rng.choice(DISEASES, size=2, replace=False).tolist()
    text, mentions, relations = "", list[Mention](), list[Relation]()
    for drug, disease in zip(drugs, diseases, strict=True):
        causes = bool(rng.integers(2))
        mentions.append(_mention(len(text) + 4, drug, "Chemical", drug_id(drug)))
        text += f"The {drug} {'caused' if causes else 'spared'} the "
        mentions.append(_mention(len(text), disease, "Disease", disease_id(disease)))
        text += f"{disease}. "
        if causes:
            ends = Argument(drug_id(drug)), Argument(disease_id(disease))
            relations.append(Relation("CID", ends))
    return Document(name, text.strip(), mentions=tuple(mentions), relations=tuple(relations))


def _mention(start: int, word: str, type: str, id: str) -> Mention:
    return Mention.at(start, start + len(word), type, ids=(id,))


def words() -> Iterator[str]:
    yield " ".join((*DRUGS, *DISEASES, "the caused spared"))


def encoder(folder: Path) -> Path:
    return save_small_bert(folder, words())


def knowledge_base(folder: Path) -> KnowledgeBase:
    above = (Link("is_a", disease_id("nausea")),)
    return of_entries(
        folder,
        *(Entry(drug_id(n), n.title(), types=("Chemical",)) for n in DRUGS),
        *(
            Entry(
                disease_id(n),
                n.title(),
                types=("Disease",),
                links=above if n == "bleeding" else (),
            )
            for n in DISEASES
        ),
        source="MeSH",
    )


def place(folder: Path) -> Path:
    """The folder with training, development and test documents, a knowledge base, an encoder."""
    for name, count, seed in (("train", 60, 1), ("dev", 15, 2), ("test", 20, 3)):
        write_documents(
            (replace(d, id=f"{name}{d.id}") for d in documents(count, seed=seed)),
            folder / f"{name}.pubtator",
        )
    knowledge_base(folder / "kb")
    encoder(folder / "encoder")
    return folder


def recipe(folder: Path, **settings: Any) -> Recipe:
    """Trains a small relation model at such a place; `settings` are added to those of [train]."""
    usual = {"encoder": str(folder / "encoder"), "steps": 160, "learning_rate": 2e-3}
    usual |= {"batch": 8, "evaluate_every": 40, "hidden": 32, "dropout": 0.0, "threads": 1}
    return Recipe(
        "toys",
        "toys",
        train=Train(
            "relation model",
            on=(str(folder / "train.pubtator"),),
            select=str(folder / "dev.pubtator"),
            settings={**usual, **settings},
        ),
        evaluate=Evaluate("relations-given", corpus=str(folder / "test.pubtator"), split=""),
        kb=KbSpec(get=str(folder / "kb")),
    )
