"""Coordinates of the picture: boxes, the paths of edges, and the lanes of derived facts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

from rete.drawing.diagram import Diagram, DiagramEdge, DiagramNode
from rete.drawing.picture.boxes import Box, node_box
from rete.drawing.picture.layout import Layout, Vertex, arrange_columns
from rete.drawing.picture.svg import Point

MARGIN: Final = 28.0
TOP: Final = 124.0
BAR: Final = 34.0
"""Width of the bar that stands for the facts from outside."""

_GAP: Final = 46.0
_STEEP: Final = 0.06
"""How much wider a gap gets for each unit that a line rises in it."""
_WIDEST_GAP: Final = 130.0
_LANE: Final = 8.0
_LANES: Final = 24
"""More rules than these share one lane for the facts that go back in."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a flow edge between two columns.

    Attributes:
        begin: where it leaves a column.
        end: where it enters a box, or a column.
        through: the far end of the column that it crosses; of a box `end` itself.
    """

    begin: Point
    end: Point
    through: float
    rules: tuple[int, ...]
    arrives: bool


@dataclass(frozen=True, slots=True)
class ReturnEdge:
    """The way of derived facts back to the patterns they may match.

    Attributes:
        stems: from a rule to the lane: points of bent lines, with whether it is recursive.
        trunk: the lane beneath the picture and up to the highest pattern.
        branches: from the lane into patterns, with whether it is recursive.
    """

    rules: tuple[int, ...]
    trunk: tuple[Point, ...]
    stems: tuple[tuple[tuple[Point, ...], bool], ...]
    branches: tuple[tuple[tuple[Point, ...], bool], ...]
    recursive: bool


class Scene:
    """Where everything is, in pixels."""

    def __init__(self, diagram: Diagram) -> None:
        self.diagram = diagram
        self._flow = [edge for edge in diagram.edges if not edge.derived]
        self._derived = [edge for edge in diagram.edges if edge.derived]
        feeding = {edge.source for edge in self._derived}
        together = len(feeding) > _LANES
        self.lanes = 1 if together else len(feeding)
        self.boxes: dict[int, Box] = {
            node.number: node_box(node, diagram.names, names_feeders=together)
            for node in diagram.nodes
        }
        sizes = {number: (found.width, found.height) for number, found in self.boxes.items()}
        ends = [node.number for node in diagram.rules]
        self.layout: Layout = arrange_columns(
            sizes, [(e.source, e.target) for e in self._flow], ends
        )
        self._lanes_width = self.lanes * _LANE + 24.0 * bool(self.lanes)

    # Columns

    @cached_property
    def lefts(self) -> tuple[float, ...]:
        """Left edge of each column."""
        layout = self.layout
        at = MARGIN + BAR + 40 + self._lanes_width
        found = []
        for i, width in enumerate(layout.widths):
            found.append(at)
            at += width
            if i < len(layout.steepest):
                at += min(_WIDEST_GAP, _GAP + _STEEP * layout.steepest[i])
        return tuple(found)

    @property
    def bottom(self) -> float:
        """Lower end of the boxes."""
        return TOP + self.layout.height

    @property
    def right(self) -> float:
        """Right end of the boxes."""
        if not self.lefts:
            return 0.0
        return self.lefts[-1] + self.layout.widths[-1]

    @property
    def field(self) -> tuple[float, float]:
        """Right and lower end of boxes and lanes."""
        return self.right + self._lanes_width, self.bottom + self._lanes_width

    # Boxes

    def corner(self, number: int) -> Point:
        """Upper left corner of a box."""
        layer = self.layout.layers[number]
        middle = TOP + self.layout.middles[number, layer]
        return self.lefts[layer], middle - self.boxes[number].height / 2

    def _middle(self, vertex: Vertex) -> float:
        return TOP + self.layout.middles[vertex]

    # Flow

    @cached_property
    def _ports(self) -> dict[tuple[int, int], float]:
        """Per target and place of a flow edge the height where it arrives."""
        arriving: dict[int, list[tuple[float, int]]] = defaultdict(list)
        for edge in self._flow:
            *_, before, _ = self.layout.way(edge.source, edge.target)
            arriving[edge.target].append((self._middle(before), edge.place))
        ports: dict[tuple[int, int], float] = {}
        for target, found in arriving.items():
            middle = self._middle((target, self.layout.layers[target]))
            spread = min(14.0, (self.boxes[target].height - 12) / len(found))
            for i, (_, place) in enumerate(sorted(found)):
                ports[target, place] = middle + (i - (len(found) - 1) / 2) * spread
        return ports

    def segments(self) -> Iterator[Segment]:
        """All of the flow, what comes first first; trunks once, whoever reads them."""
        trunks: dict[tuple[Vertex, Vertex], set[int]] = defaultdict(set)
        last: list[Segment] = []
        for edge in self._flow:
            rules = self.diagram.node(edge.target).rules
            way = self.layout.way(edge.source, edge.target)
            for pair in pairwise(way[:-1]):
                trunks[pair].update(rules)
            end = self.lefts[way[-1][1]], self._ports[edge.target, edge.place]
            last.append(Segment(self._leaves(way[-2]), end, end[0], rules, arrives=True))
        for (before, after), found in trunks.items():
            left = self.lefts[after[1]]
            through = left + self.layout.widths[after[1]]
            end = left, self._middle(after)
            rules = tuple(sorted(found))
            yield Segment(self._leaves(before), end, through, rules, arrives=False)
        yield from last

    def stub(self, node: DiagramNode) -> tuple[Point, float]:
        """From a box to the end of its column, where its readers part."""
        layer = self.layout.layers[node.number]
        begin = self.lefts[layer] + self.boxes[node.number].width
        end = self.lefts[layer] + self.layout.widths[layer]
        return (begin, self._middle((node.number, layer))), end

    def _leaves(self, vertex: Vertex) -> Point:
        layer = vertex[1]
        return self.lefts[layer] + self.layout.widths[layer], self._middle(vertex)

    # What goes in

    def entry(self, node: DiagramNode) -> Point:
        """Where facts from outside enter a pattern."""
        x, y = self.corner(node.number)
        return x, y + self.boxes[node.number].height * (0.34 if node.fed else 0.5)

    def returns(self) -> Iterator[ReturnEdge]:
        """What goes back in: a lane for each rule, or one for all if they are many."""
        by_source: dict[int, list[DiagramEdge]] = defaultdict(list)
        for edge in self._derived:
            by_source[edge.source].append(edge)
        # The lowest rule has the innermost lane: so lanes do not cross each other.
        sources = sorted(by_source, key=lambda number: -self.corner(number)[1])
        if len(sources) > _LANES:
            yield self._return(0, sources, [e for s in sources for e in by_source[s]])
        else:
            for lane, source in enumerate(sources):
                yield self._return(lane, [source], by_source[source])

    def _return(self, lane: int, sources: list[int], edges: list[DiagramEdge]) -> ReturnEdge:
        shift = 14 + lane * _LANE
        right, left, below = self.right + shift, self.lefts[0] - 20 - shift, self.bottom + shift
        recursive = any(edge.recursive for edge in edges)
        targets: dict[int, bool] = {}
        for edge in edges:
            targets[edge.target] = targets.get(edge.target, False) or edge.recursive
        entries = {number: self._fed_at(number, sources) for number in targets}
        top = min(entries.values())
        trunk = ((right, below - 24), (right, below), (left, below), (left, top + 12))
        stems = []
        for source in sources:
            x, y = self.corner(source)
            y += self.boxes[source].height / 2
            points = (x + self.boxes[source].width, y), (right, y), (right, below - 24)
            stems.append((points, self.diagram.node(source).recursive))
        branches = []
        for number, back in targets.items():
            y = entries[number]
            points = (left, y + 12), (left, y), (self.lefts[0], y)
            branches.append((points, back))
        rules = tuple(sorted({r for s in sources for r in self.diagram.node(s).rules}))
        return ReturnEdge(rules, trunk, tuple(stems), tuple(branches), recursive)

    def _fed_at(self, number: int, sources: list[int]) -> float:
        """Where facts of rules enter a pattern: lower than facts from outside, each rule apart."""
        node = self.diagram.node(number)
        height = self.boxes[number].height
        _, y = self.corner(number)
        share = 0.5
        if len(sources) == 1:
            rule = self.diagram.node(sources[0]).rules[0]
            share = (node.fed.index(rule) + 1) / (len(node.fed) + 1)
        return y + height * (0.42 + 0.5 * share if node.given else share)
