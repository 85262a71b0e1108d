"""R4 on Spark: what one process cannot hold, with the same rules and the same meaning.

| room | what is in it |
|---|---|
| `partition` | which shard has which rules, by the plan of a program alone (docs/shards.md) |
| `shards` | the network of a shard, which takes steps, and the messages between shards |
| `jobs` | what jobs on Spark share: a session, tasks, atomic files |
| `loading` | files of RDF into a folder, as Spark jobs; what is in it as DataFrames |
| `streaming` | streams over shards, as Spark Structured Streaming |

`loading` and `streaming` import the rooms above, and not each other. `partition` and
`shards` need no Spark.

`read`, `load` and `to_arrow` are those of `loading.dataframes`, `write_stream` that of
`loading.stream_files`. They are imported on first use: they need the extra ``spark``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from r4.spark.loading.dataframes import load, read, to_arrow
    from r4.spark.loading.stream_files import write_stream

__all__ = ["load", "read", "to_arrow", "write_stream"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    from r4.spark.loading import dataframes, stream_files

    return getattr(stream_files if name == "write_stream" else dataframes, name)
