"""The concepts of MedMentions as a knowledge base, on hand-written files."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from corpora.named.files import write, write_json_lines
from holdfast.experiments.medmentions_kb import medmentions_kb
from holdfast.experiments.recipe import read_recipe
from holdfast.experiments.recipe_kb import kb_of


def test_concepts_are_called_as_training_documents_call_them_then_as_is_usual(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "corpora" / "medmentions"
    names = {
        "C1": ["AB", "Asthma", "asthma bronchiale", "bronchial asthma"],
        "C2": ["Wheeze"],
        "C9": ["Fever"],  # mentioned nowhere
    }
    write(folder / "cui_names_open.json.gz", gzip.compress(json.dumps(names).encode()))
    heard = [("wheezing", "C2"), ("wheezes", "C2"), ("wheezing", "C2"), ("Wheezes", "C2")]
    write_json_lines(
        folder / "st21pv_tokens" / "train.jsonl.gz",
        [
            {
                "pmid": f"1111111{n}",
                "sentences": [{"tokens": ["Severe", word, "heard"], "mentions": [[1, 2, cui]]}],
            }
            for n, (word, cui) in enumerate(heard)
        ]
        + [  # a document of dev: how it calls things is not known
            {
                "pmid": "22222222",
                "sentences": [{"tokens": ["Asthma", "bronchitica"], "mentions": [[0, 2, "C1"]]}],
            }
        ],
    )
    text = "Asthma and the cough of children in the clinics of Leeds"
    record = {
        "pmid": "22222222",
        "text": text,
        "mentions": [[0, 6, "C1", 1], [15, 20, "C3", 1]],  # C3 has no name anywhere
    }
    write_json_lines(folder / "full_offsets" / "dev.jsonl.gz", [record])
    kb = kb_of(read_recipe("collective-medmentions"), "dev", data=tmp_path)
    assert medmentions_kb("dev", data=tmp_path).folder == kb.folder
    called = {kb.id_at(row): kb.names_of(row) for row in range(len(kb))}
    assert [*called] == ["UMLS:C1", "UMLS:C2"]
    assert list(called["UMLS:C2"]) == ["wheezing", "wheezes", "Wheeze"]
    assert len(called["UMLS:C1"]) == 4
    # "asthma" is in three of four names, "AB" in one.
    assert called["UMLS:C1"][0] == "Asthma"
    assert called["UMLS:C1"][-1] == "AB"
