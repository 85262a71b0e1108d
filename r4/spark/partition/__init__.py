"""The partition of a program: which shard has which rules, by its plan alone (docs/shards.md).

Nothing here runs rules.

| file | what it is |
|---|---|
| `split_keys` | the variables by which a body can be split |
| `dependency_graph` | which bodies feed which, by groups of derived facts; what is recursive |
| `splitting` | which bodies are split among all shards, and by which key; rates of facts |
| `placement` | the shards of the other bodies, and the homes of what is derived |
| `routes` | routes of facts: to one shard, by a hash, to all; demands of patterns |
| `program_partition` | the partition as a value, a pure function of the plan |
| `shard_programs` | the program of a shard, and which of its facts go to other shards |
| `rendering` | a partition as text, JSON and DOT |
"""

from __future__ import annotations

from r4.spark.partition.program_partition import Partition, partition

__all__ = ["Partition", "partition"]
