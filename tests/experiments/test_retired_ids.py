from __future__ import annotations

from pathlib import Path

from holdfast.document import Document, Mention
from holdfast.experiments.recipe_kb import primary_ids
from holdfast.experiments.retired_ids import retired_ids
from small_kb import make_kb


def document(*marked: tuple[str, str]) -> Document:
    mentions, text = list[Mention](), ""
    for surface, id in marked:
        mentions.append(Mention.at(len(text), len(text) + len(surface), ids=(id,)))
        text += f"{surface}. "
    return Document("1", text, mentions=tuple(mentions))


def test_an_id_that_the_base_lacks_is_the_entity_that_its_mentions_name(tmp_path: Path) -> None:
    kb = make_kb(tmp_path / "kb")
    known = primary_ids(kb)
    name, id = next((kb.name_at(int(kb.first_name[row])), kb.id_at(row)) for row in range(len(kb)))
    old = document((name, "MESH:C999"), (name.upper(), "MESH:C999"), ("no such thing", "MESH:C998"))
    assert retired_ids([old], kb, known=known) == {"MESH:C999": id}


def test_ids_that_the_base_has_and_undecided_ones_are_left_alone(tmp_path: Path) -> None:
    kb = make_kb(tmp_path / "kb")
    first, second = (kb.name_at(int(kb.first_name[row])) for row in (0, 3))
    undecided = document((first, "MESH:C999"), (second, "MESH:C999"), (second, kb.id_at(0)))
    assert retired_ids([undecided], kb, known=primary_ids(kb)) == {}
