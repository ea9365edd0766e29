from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.blocks import in_blocks


@given(st.lists(st.integers()), st.integers(1, 9))
def test_blocks_keep_order_and_all_but_the_last_are_full(items: list[int], size: int) -> None:
    blocks = list(in_blocks(items, size))
    assert [item for block in blocks for item in block] == items
    assert all(len(block) == size for block in blocks[:-1])
    assert all(blocks)


def test_what_came_before_an_error_is_not_lost() -> None:
    def broken() -> Iterator[int]:
        yield from (1, 2, 3)
        raise ValueError("line 4 is broken")

    blocks = in_blocks(broken(), 2)
    assert [next(blocks), next(blocks)] == [[1, 2], [3]]
    with pytest.raises(ValueError, match="line 4"):
        next(blocks)
