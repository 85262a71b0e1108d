"""Shards: a network for each share of a partition, and what crosses between them.

They take steps, which know nothing of Spark, files or processes.

| file | what it is |
|---|---|
| `parcels` | what crosses: columns of texts and numbers |
| `routing` | from facts to the shards that ask for them |
| `outlets`, `senders` | what changed in the tables of a shard, on its way |
| `worker` | the network of a shard, which takes steps |
| `dealing` | batches, as what each shard is given, step by step |
| `rounds` | all shards in one process, step by step, until nothing crosses |
"""
