"""Shards: a network for each part of a partition, and the messages between them.

They take steps, which know nothing of Spark, files or processes.

| file | what it is |
|---|---|
| `messages` | what crosses from shard to shard: columns of texts and numbers |
| `routing` | from facts to the shards that ask for them |
| `outlets` | what changed in a table, for the shards that have a copy of it |
| `senders` | these changes as messages to the shards that ask for them |
| `worker` | the engine of a shard, which takes steps |
| `dispatch` | from batches to the inputs of each shard, step by step |
"""
