"""The partition of a program: from its plan alone, which shard does what (docs/shards.md).

Nothing here runs rules. `program` has the partition, `shares` what a shard is given of it.

| file | what it is |
|---|---|
| `rates` | how much comes of what |
| `keys` | the variables by which a body can be split |
| `dependence` | which bodies feed which, by groups of derived facts; what is recursive |
| `ways` | where a fact goes: to a shard, by a hash, everywhere |
| `splitting` | which bodies are split, and by which key |
| `allotment` | the shards of the others, and the homes of what is derived |
| `demands` | what the patterns of placed bodies ask for |
| `program` | all that, as a value: a pure function of the plan |
| `renaming` | the plan of a body whose patterns ask for facts by the way they come |
| `shares` | the share of a shard: its program, and what leaves it |
| `words`, `told` | a partition in words: as text, JSON and DOT |
"""

from __future__ import annotations

from r4.spark.partition.program_partition import Partition, partition

__all__ = ["Partition", "partition"]
