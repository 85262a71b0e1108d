"""A partition as text, JSON and DOT: what is where, what is sent, what each shard takes in."""

from __future__ import annotations

from collections.abc import Iterator

from r4.spark.partition.body_text import BodyText, write_bodies, write_head, write_route
from r4.spark.partition.program_partition import Partition, PlacedGroup
from rete.drawing.export import Json, dot_string, json_text
from rete.drawing.names import Names


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
    heads = dict.fromkeys(write_head(names, head) for _, head in placed.group.heads)
    yield f"  {', '.join(heads)}: at home {write_route(placed.group.relation, placed.home)}"
    for reader in dict.fromkeys(write_route(each.relation, each.route) for each in placed.readers):
        yield f"    goes on {reader}"


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
                "facts": list(
                    dict.fromkeys(write_head(names, head) for _, head in each.group.heads)
                ),
                "rules": [*sorted({rule for rule, _ in each.group.heads})],
                "home": write_route(each.group.relation, each.home),
                "goes_on": list(
                    dict.fromkeys(
                        write_route(reader.relation, reader.route) for reader in each.readers
                    )
                ),
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
        heads = dict.fromkeys(write_head(names, head) for _, head in placed.group.heads)
        texts = [*heads, f"at home {write_route(placed.group.relation, placed.home)}"]
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
