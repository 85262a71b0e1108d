"""A partition as text, JSON and DOT: what is where, what is sent, what each shard takes in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final

from r4.spark.partition.program_partition import Partition, PlacedBody, PlacedGroup
from r4.spark.partition.routes import ByHash, Route, ToShard
from r4.spark.partition.split_keys import NONE, read_body
from rete.drawing.export import Json, dot_string, json_text
from rete.drawing.names import Names, Piece, plain
from rete.terms.number_constants import unmarked
from rete.terms.relations import Head, Relation
from rif.syntax.terms import Variable

_PLACES: Final = ("subject", "predicate", "object")


@dataclass(frozen=True, slots=True)
class AtomText:
    """A pattern or a head of a body: its text, the route of its facts, and whether they stay."""

    text: str
    route: str
    stays: bool = True


@dataclass(frozen=True, slots=True)
class BodyText:
    """A body as text.

    Attributes:
        rule, name: of its rule: the number, and the name with it.
        shard: where it is; None: among all.
        key: the variable that splits it, if it is split.
        why: the reason why it is whole, else.
    """

    rule: int
    name: str
    shard: int | None
    key: str | None
    why: str | None
    patterns: tuple[AtomText, ...]
    derives: tuple[AtomText, ...]


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

    def _patterns(self) -> Iterator[AtomText]:
        body = self._body
        for scan, variables, route in zip(
            self._read.scans, self._read.variables, body.routes, strict=True
        ):
            key = scan.pattern
            args = [
                self._variable_names[variable] if text is None else self._names.term(unmarked(text))
                for variable, text in zip(variables, key, strict=True)
            ]
            place = "copied to all"
            if isinstance(route, ByHash):
                place = f"by {self._variable_names[variables[route.place]]}"
            elif isinstance(route, ToShard):
                place = f"in shard {route.shard}"
            yield AtomText(_text(self._names, scan.relation, args), place)

    def _derived(self) -> Iterator[AtomText]:
        body = self._body
        for head, group, stays in zip(body.emit.heads, body.groups, body.stays, strict=True):
            args = [self._operand(arg) for arg in head.args]
            home = self._partition.groups[group].home
            where = (
                f"by {args[home.place]}" if isinstance(home, ByHash) else f"to shard {home.shard}"
            )
            route = "stays" if stays else f"travels {where}"
            yield AtomText(_text(self._names, head.relation, args), route, stays)

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


def as_text(partition: Partition, names: Names) -> str:
    """The partition for a terminal, without a line end after the last line."""
    return "\n".join(_lines(partition, names))


def _lines(partition: Partition, names: Names) -> Iterator[str]:
    bodies = write_bodies(partition, names)
    split = sum(body.shard is None for body in bodies)
    yield (
        f"{names.title}: {_counted(len(bodies), 'body', 'bodies')} of rules in "
        f"{_counted(partition.shards, 'shard', 'shards')}; "
        f"{split} split, {len(bodies) - split} whole"
    )
    if split:
        yield ""
        yield "all shards"
        for body in bodies:
            if body.shard is None:
                yield from _shown(body)
    for shard, share in enumerate(partition.shares):
        yield ""
        yield f"shard {shard}: {share:.0%} of what is taken in"
        for body in bodies:
            if body.shard == shard:
                yield from _shown(body)
    if partition.groups:
        yield ""
        yield "what is derived"
        for placed in partition.groups:
            yield from _home(placed, names)


def _shown(body: BodyText) -> Iterator[str]:
    yield f"  {_title(body)}"
    for pattern in body.patterns:
        yield f"    if {pattern.text}" + (f"  ({pattern.route})" if body.shard is None else "")
    for derived in body.derives:
        yield f"    {derived.text} {derived.route}"


def _home(placed: PlacedGroup, names: Names) -> Iterator[str]:
    heads = ", ".join(_heads(placed, names))
    yield f"  {heads}: at home {write_route(placed.group.relation, placed.home)}"
    for reader in _readers(placed):
        yield f"    goes on {reader}"


def _heads(placed: PlacedGroup, names: Names) -> list[str]:
    return list(dict.fromkeys(write_head(names, head) for _, head in placed.group.heads))


def _readers(placed: PlacedGroup) -> list[str]:
    return list(dict.fromkeys(write_route(each.relation, each.route) for each in placed.readers))


def as_json(partition: Partition, names: Names) -> str:
    """The partition as a JSON object; keys and arrays in a fixed order."""
    content: dict[str, Json] = {
        "title": names.title,
        "shards": partition.shards,
        "shares": [round(share, 4) for share in partition.shares],
        "bodies": [
            {
                "rule": body.rule,
                "shard": body.shard,
                "key": body.key,
                "reason": body.why,
                "patterns": [{"pattern": each.text, "way": each.route} for each in body.patterns],
                "derives": [
                    {"fact": each.text, "way": each.route, "stays": each.stays}
                    for each in body.derives
                ],
            }
            for body in write_bodies(partition, names)
        ],
        "groups": [
            {
                "facts": [*_heads(each, names)],
                "rules": [*sorted({rule for rule, _ in each.group.heads})],
                "home": write_route(each.group.relation, each.home),
                "goes_on": [*_readers(each)],
            }
            for each in partition.groups
        ],
    }
    return json_text(content)


def as_dot(partition: Partition, names: Names) -> str:
    """The partition in DOT: bodies by their shards, what they derive, and who reads that."""
    bodies = write_bodies(partition, names)
    lines = [
        "digraph shards {",
        "  rankdir=LR;",
        f"  label={dot_string(names.title)};",
        '  node [fontname="monospace", fontsize=10];',
    ]
    for shard in (None, *range(partition.shards)):
        name = "all shards" if shard is None else f"shard {shard}"
        share = "" if shard is None else f": {partition.shares[shard]:.0%}"
        lines.append(f'  subgraph "cluster {name}" {{')
        lines.append(f"    label={dot_string(name + share)};")
        for number, body in enumerate(bodies):
            if body.shard == shard:
                texts = [_title(body), *(f"{each.text}  ({each.route})" for each in body.patterns)]
                lines.append(f"    b{number} [shape=box, label={dot_string(chr(10).join(texts))}];")
        lines.append("  }")
    for number, placed in enumerate(partition.groups):
        texts = [
            *_heads(placed, names),
            f"at home {write_route(placed.group.relation, placed.home)}",
        ]
        lines.append(f"  g{number} [shape=note, label={dot_string(chr(10).join(texts))}];")
    lines += [f"  {edge};" for edge in dict.fromkeys(_edges(partition))]
    return "\n".join([*lines, "}"])


def _title(body: BodyText) -> str:
    return f"{body.name}, by the hash of {body.key}" if body.key else f"{body.name}: {body.why}"


def _edges(partition: Partition) -> Iterator[str]:
    """The edges between bodies and what they derive or read; dashed where that is sent."""
    for number, body in enumerate(partition.bodies):
        for group, stays in zip(body.groups, body.stays, strict=True):
            yield f"b{number} -> g{group}" + ("" if stays else " [style=dashed]")
        for fed, route in zip(body.fed, body.routes, strict=True):
            for group in sorted(fed):
                near = route == partition.groups[group].home
                yield f"g{group} -> b{number}" + ("" if near else " [style=dashed]")


def _counted(number: int, one: str, more: str) -> str:
    return f"{number} {one if number == 1 else more}"
