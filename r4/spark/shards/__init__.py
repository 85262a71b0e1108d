"""Shards: a network for each part of a partition, and the messages between them.

They take steps, which know nothing of Spark, files or processes.

| file | what it is |
|---|---|
| `messages` | what crosses from shard to shard: columns of texts and numbers |
| `routing` | from facts to the shards that ask for them |
| `senders` | what changed in tables, as messages to the shards that ask for it |
| `worker` | the engine of a shard, which takes steps |
| `dispatch` | from batches to the inputs of each shard, step by step |
"""
