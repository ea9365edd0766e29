"""What linkers remember between documents: never more than so much, and safe between threads."""

from __future__ import annotations

import functools
import gc
import importlib
import pkgutil
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from inspect import isfunction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import holdfast
from holdfast.document import Document, Mention
from holdfast.kb import Entry, KnowledgeBase
from holdfast.link.ranking import linker as ranked
from holdfast.link.ranking.features import FEATURES
from holdfast.link.ranking.linker import RankedLinker
from holdfast.link.ranking.ranker import Ranker
from holdfast.names.recent import Recent
from small_kb import make_kb, of_entries

_MOST_REMEMBERED = 1 << 16
_FEW = 20


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    names = ("tidal ague", "kelp pox", "harbour fever", "lantern palsy", "rope burn syndrome")
    entries = (Entry(f"X:{i}", name, types=("Disease",)) for i, name in enumerate(names))
    return of_entries(tmp_path_factory.mktemp("memory") / "kb", *entries)


def ranker() -> Ranker:
    random = np.random.default_rng(5)
    width = len(FEATURES)
    return Ranker(
        mean=np.zeros(width),
        scale=np.ones(width),
        linear=random.normal(0, 0.3, width),
        hidden=np.zeros((width, 1)),
        hidden_bias=np.zeros(1),
        output=np.zeros(1),
        bias=0.0,
    )


def marked(surfaces: Sequence[str]) -> Document:
    text, mentions = "", []
    for surface in surfaces:
        mentions.append(Mention.at(len(text), len(text) + len(surface)))
        text += f"{surface}; "
    return Document("1", text, mentions=tuple(mentions))


def test_what_was_asked_longest_ago_is_forgotten() -> None:
    recent = Recent[str, int](2)
    recent.keep({"a": 1, "b": 2})
    assert recent.known(["a"]) == {"a": 1}
    recent.keep({"c": 3})
    assert len(recent) == 2
    assert recent.known(["a", "b", "c"]) == {"a": 1, "c": 3}


def holdfast_caches() -> Iterator[Any]:
    """Every function of the package that remembers its answers, with those of its objects."""
    for module in pkgutil.walk_packages(holdfast.__path__, "holdfast."):
        if "training" not in module.name and not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for found in gc.get_objects():
        if isinstance(found, functools._lru_cache_wrapper):
            wrapped = found.__wrapped__
            if wrapped.__module__.startswith("holdfast"):
                yield found


def test_nothing_remembers_its_answers_without_end(tmp_path: Path) -> None:
    kb = make_kb(tmp_path / "kb")
    pipelines = [holdfast.load(kb, model=name) for name in ("default", "names")]
    assert pipelines
    for cache in holdfast_caches():
        takes = cache.__wrapped__.__code__.co_argcount
        most = cache.cache_parameters()["maxsize"]
        assert not takes or (most is not None and most <= _MOST_REMEMBERED), cache


def reached_from(root: object) -> list[object]:
    """All that an object of the package holds; what functions remember is left out."""
    found, waiting, seen = list[object](), [root], set[int]()
    while waiting:
        current = waiting.pop()
        if id(current) in seen or isinstance(current, (type, functools._lru_cache_wrapper)):
            continue
        seen.add(id(current))
        found.append(current)
        home = type(current).__module__.split(".")[0]
        if home in ("holdfast", "builtins", "collections") and not isfunction(current):
            waiting += gc.get_referents(current)
    return found


def sizes_of(root: object) -> dict[int, int]:
    """Of every dict, list and set that it holds, by identity."""
    return {id(x): len(x) for x in reached_from(root) if isinstance(x, (dict, list, set))}


@pytest.mark.parametrize("model", ["default", "names"])
def test_no_step_grows_with_the_documents(
    kb: KnowledgeBase, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranked, "_KEPT", _FEW)
    link = holdfast.load(kb, model=model)

    def read(first: int, last: int) -> None:
        for i in range(first, last):
            surfaces = [f"tidal ague type {i} {letter}" for letter in "abcd"]
            link(marked([*surfaces, "kelp pox"]))

    read(0, 10)
    before = sizes_of(link)
    read(10, 30)
    after = sizes_of(link)
    assert len(before) > 10
    assert not [place for place, size in after.items() if size > before.get(place, 0) + 2 * _FEW]


def test_a_name_that_is_remembered_keeps_no_other_of_its_batch(kb: KnowledgeBase) -> None:
    linker = RankedLinker(kb, ranker=ranker())
    linker(marked([f"lantern palsy {i}" for i in range(50)]))
    arrays = [found for found in reached_from(linker._recent) if isinstance(found, np.ndarray)]
    assert len(arrays) > 50
    for array in arrays:
        assert array.base is None or array.base.nbytes == array.nbytes


def test_threads_that_share_a_linker_get_the_answers_of_one(
    kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranked, "_KEPT", 3)  # so that threads push out each other's names
    names = ["tidal ague", "kelp poxes", "harbour fever", "lantern palsy", "rope burn"]
    documents = [marked([names[(i + j) % 5] for j in range(4)]) for i in range(400)]
    alone = RankedLinker(kb, ranker=ranker())
    expected = [alone(document) for document in documents]
    shared = RankedLinker(kb, ranker=ranker())
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(shared, documents)) == expected
