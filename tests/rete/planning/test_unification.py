"""Which patterns meet, against trying all pairs."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from rete.planning.unification import ConstantPattern, unifiable_groups

KEYS = st.integers(0, 3).flatmap(
    lambda arity: st.tuples(
        *[st.lists(st.tuples(*[st.sampled_from([None, "a", "b"])] * arity))] * 2
    )
)


def meet(one: ConstantPattern, other: ConstantPattern) -> bool:
    return all(a is None or b is None or a == b for a, b in zip(one, other, strict=True))


@given(KEYS)
def test_each_pair_that_meets_is_in_one_pair_of_groups(
    keys: tuple[list[ConstantPattern], list[ConstantPattern]],
) -> None:
    left, right = (list(enumerate(each)) for each in keys)
    groups = unifiable_groups(((key, i) for i, key in left), ((key, i) for i, key in right))
    found = Counter((i, j) for some, others in groups for i in some for j in others)
    assert found == Counter((i, j) for i, a in left for j, b in right if meet(a, b))


def test_many_pairs_are_few_groups() -> None:
    left: list[tuple[ConstantPattern, int]] = [((f"s{i}", "p", None), i) for i in range(1_000)]
    right: list[tuple[ConstantPattern, int]] = [((None, "p", f"o{i}"), i) for i in range(1_000)]
    ((some, others),) = unifiable_groups(left, right)
    assert (len(some), len(others)) == (1_000, 1_000)
