"""What a linker remembers of a corpus, in memory and mapped from its folder."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from holdfast.link.ranking.used_names import UsedNames
from holdfast.text.tokens import key_of

NAMES = st.sampled_from(["IL-2", "il 2", "IL2", "Colds", "cold", "Cold, Common", "common cold"])
USES = st.dictionaries(
    st.tuples(NAMES, st.sampled_from(["A:1", "A:2", "B:1"])),
    st.frozensets(st.sampled_from(["d1", "d2", "d3"]), min_size=1),
)


def used_names(uses: dict[tuple[str, str], frozenset[str]]) -> UsedNames:
    return UsedNames(
        tuple(name for name, _ in uses), tuple(id for _, id in uses), tuple(uses.values())
    )


@given(USES, NAMES)
def test_a_name_is_used_for_the_entities_of_all_names_with_its_key(
    uses: dict[tuple[str, str], frozenset[str]], asked: str
) -> None:
    expected: dict[str, frozenset[str]] = {}
    for (name, id), documents in uses.items():
        if key_of(name) == key_of(asked):
            expected[id] = expected.get(id, frozenset()) | documents
    assert used_names(uses).using(asked) == expected


@given(USES)
def test_an_entity_is_mentioned_by_the_documents_of_all_its_names(
    uses: dict[tuple[str, str], frozenset[str]],
) -> None:
    used = used_names(uses)
    for asked in ("A:1", "A:2", "B:1", "C:1"):
        documents = [documents for (_, id), documents in uses.items() if id == asked]
        assert used.mentioning(asked) == frozenset().union(*documents)


@given(USES)
def test_saved_names_are_the_same_when_they_are_opened(
    uses: dict[tuple[str, str], frozenset[str]],
) -> None:
    used = used_names(uses)
    with TemporaryDirectory() as folder:
        used.save(Path(folder))
        again = UsedNames.open(Path(folder))
        assert (again.names, again.entity_ids) == (used.names, used.entity_ids)
        assert tuple(again.documents) == used.documents
        assert again.documents[1:] == used.documents[1:]
        assert [again.documents[row] for row in range(len(uses))] == list(used.documents)
