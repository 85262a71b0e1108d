"""R4 on Spark: what one process cannot hold, with the same rules and the same meaning.

A program among shards, without Spark (docs/shards.md), and what runs on it:

| file | what it is |
|---|---|
| `partition` | the partition of a program: a value, a pure function of its plan |
| `dependence` | which bodies feed which, by groups of derived facts; what is recursive |
| `keys` | the variables by which a body can be split |
| `rates` | how much comes of what |
| `splitting` | which bodies are split, and by which key |
| `allotment` | the shards of the others, and the homes of what is derived |
| `ways` | where a fact goes: to a shard, by a hash, everywhere |
| `demands` | what the patterns of placed bodies ask for |
| `renaming` | the plan of a body whose patterns ask for facts by the way they come |
| `shares` | the share of a shard: its program, and what leaves it |
| `routing` | from facts to the shards that ask for them |
| `parcels` | what crosses: columns of texts and numbers |
| `outlets`, `senders` | what changed in the tables of a shard, on its way |
| `worker` | the network of a shard, which takes steps |
| `rounds` | all shards in one process, step by step, until nothing crosses |
| `dealing` | batches, as what each shard is given, step by step |
| `words`, `told` | a partition in words: as text, JSON and DOT |
| `jobs` | what jobs on Spark have in common: a session, files that tasks leave |
| `loading` | files of RDF into a folder, as Spark jobs; what is in it as DataFrames |
| `streaming` | streams over shards, as Spark Structured Streaming |

`read`, `load`, `to_arrow` and `write_stream` are those of `loading.frames`, which is imported when
they are asked for: it needs the extra ``spark``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from r4.spark.loading.frames import load, read, to_arrow, write_stream

__all__ = ["load", "read", "to_arrow", "write_stream"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    from r4.spark.loading import frames

    return getattr(frames, name)
