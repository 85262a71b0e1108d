"""Strongly connected components of a directed graph, without recursion."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import TypeVar

N = TypeVar("N", bound=Hashable)


def strong_components(successors: Mapping[N, Iterable[N]]) -> Iterator[set[N]]:
    """The components of a graph, each after those that it leads to [Tarjan72]. Linear.

    A node is numbered when it is reached. The least number that is reached from it by way of nodes
    of no finished component is its own iff it is the first of its component.
    """
    reached: dict[N, int] = {}
    least: dict[N, int] = {}
    finished: set[N] = set()
    unfinished: list[N] = []
    for start in successors:
        if start in reached:
            continue
        reached[start] = least[start] = len(reached)
        unfinished.append(start)
        path = [(start, iter(successors[start]))]
        while path:
            node, ahead = path[-1]
            for target in ahead:
                if target not in reached:
                    reached[target] = least[target] = len(reached)
                    unfinished.append(target)
                    path.append((target, iter(successors[target])))
                    break
                if target not in finished:
                    least[node] = min(least[node], reached[target])
            else:
                path.pop()
                if path:
                    before = path[-1][0]
                    least[before] = min(least[before], least[node])
                if least[node] == reached[node]:
                    component = {unfinished.pop()}
                    while node not in component:
                        component.add(unfinished.pop())
                    finished |= component
                    yield component
