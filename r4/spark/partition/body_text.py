"""Bodies as their rules write them, and routes of facts, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final

from r4.spark.partition.program_partition import Partition, PlacedBody
from r4.spark.partition.routes import ByHash, Route, ToShard
from r4.spark.partition.split_keys import NONE, read_body
from rete.drawing.names import Names, Piece, plain
from rete.terms.relations import Head, Relation
from rif.syntax.terms import Variable

_PLACES: Final = ("subject", "predicate", "object")


@dataclass(frozen=True, slots=True)
class PatternText:
    """A pattern of a body: its text, and the route of the facts that match."""

    text: str
    route: str


@dataclass(frozen=True, slots=True)
class HeadText:
    """A head: its text, and where its facts go."""

    text: str
    route: str
    stays: bool


@dataclass(frozen=True, slots=True)
class BodyText:
    """A body as text.

    Attributes:
        rule: its number.
        name: of the rule, with its number.
        shard: where it is; None: among all.
        key: the variable that splits it, if it is split.
        why: the reason why it is whole, else.
    """

    rule: int
    name: str
    shard: int | None
    key: str | None
    why: str | None
    patterns: tuple[PatternText, ...]
    derives: tuple[HeadText, ...]


def write_bodies(partition: Partition, names: Names) -> list[BodyText]:
    """The bodies of a partition as text, in the order of their rules."""
    return [_BodyWriter(body, partition, names).write() for body in partition.bodies]


class _BodyWriter:
    """Writes a body; its variables have the names of its rule, where these are known.

    The plan of a body has no name for a variable that it does not pass on.
    """

    def __init__(self, body: PlacedBody, partition: Partition, names: Names) -> None:
        self._body = body
        self._partition = partition
        self._names = names
        self._read = read_body(body.emit.source)
        self._variable_names = self._variables()

    def write(self) -> BodyText:
        body, key = self._body, None
        if body.split is not None:
            key = self._variable_names[body.split.key.variable]
        return BodyText(
            body.emit.rule,
            self._names.rule(body.emit.rule),
            body.at,
            key,
            body.why,
            tuple(self._patterns()),
            tuple(self._derived()),
        )

    def _variables(self) -> dict[int, str]:
        called: dict[int, str] = {}
        view = self._names.views.get(self._body.emit, ())
        for column, argument in zip(self._read.columns, view, strict=False):
            if column != NONE and isinstance(argument, Variable):
                called.setdefault(column, str(argument))
        fresh = (f"?{number}" for number in count(1))
        for scan, variables in zip(self._read.scans, self._read.variables, strict=True):
            arguments = self._names.views.get(scan, ())
            for place, variable in enumerate(variables):
                if variable == NONE or variable in called:
                    continue
                known = arguments[place] if place < len(arguments) else ""
                name = str(known) if isinstance(known, Variable) else next(fresh)
                called[variable] = next(fresh) if name in called.values() else name
        return called

    def _patterns(self) -> Iterator[PatternText]:
        body = self._body
        for scan, variables, route in zip(
            self._read.scans, self._read.variables, body.routes, strict=True
        ):
            key = scan.key
            args = [
                self._variable_names[variable] if text is None else self._names.term(text)
                for variable, text in zip(variables, key, strict=True)
            ]
            place = "copied to all"
            if isinstance(route, ByHash):
                place = f"by {self._variable_names[variables[route.place]]}"
            elif isinstance(route, ToShard):
                place = f"in shard {route.shard}"
            yield PatternText(_text(self._names, scan.relation, args), place)

    def _derived(self) -> Iterator[HeadText]:
        body = self._body
        for head, group, stays in zip(body.emit.heads, body.groups, body.stays, strict=True):
            args = [self._operand(arg) for arg in head.args]
            home = self._partition.groups[group].home
            where = (
                f"by {args[home.place]}" if isinstance(home, ByHash) else f"to shard {home.shard}"
            )
            route = "stays" if stays else f"travels {where}"
            yield HeadText(_text(self._names, head.relation, args), route, stays)

    def _operand(self, arg: int | str) -> str:
        if isinstance(arg, str):
            return self._names.term(arg)
        return self._variable_names.get(self._read.columns[arg], "?computed")


def write_head(names: Names, head: Head) -> str:
    """The facts that a head derives, with ``?`` for variables."""
    args = [names.term(arg) if isinstance(arg, str) else "?" for arg in head.args]
    return _text(names, head.relation, args)


def _text(names: Names, relation: Relation, args: Sequence[str]) -> str:
    return plain(names.fact(relation, [Piece(arg) for arg in args]))


def write_route(relation: Relation, route: Route) -> str:
    """Where facts of ``relation`` go."""
    match route:
        case ToShard(shard):
            return f"in shard {shard}"
        case ByHash(place):
            named = f"argument {place + 1}" if relation.op else f"the {_PLACES[place]}"
            return f"by the hash of {named}"
        case _:
            return "to all shards"
