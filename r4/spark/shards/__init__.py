"""Shards: a network for each part of a partition, and the messages between them.

They take steps, which know nothing of Spark, files or processes.

| file | what it is |
|---|---|
| `messages` | what crosses from shard to shard: columns of texts and numbers |
| `routing` | from facts to the shards that ask for them |
| `outlets` | what changed in a table, for those who hold a copy of it |
| `senders` | those changes, as messages to the shards that ask for them |
| `worker` | the network of a shard, which takes steps |
| `dispatch` | batches, as the inputs of each shard, step by step |
"""
