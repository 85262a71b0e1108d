"""Streams over shards: Spark Structured Streaming starts the batches, the shards take their steps.

A batch is some pieces of files. The front reads them, judges them as ``r4 run`` does, and writes
down the inputs of each shard, step by step. Hosts take these steps with their shards, send each
other messages, and leave answers and states in files. Only `spark_hosts`, `spark_query` and
`spark_source` know of Spark.

| file | what it is |
|---|---|
| `file_pieces` | which parts of which files are there |
| `piece_source` | a source that is read piece by piece |
| `front` | pieces in, steps of shards out |
| `message_files` | the inputs of steps, and messages, as Arrow files |
| `checkpoint_layout` | what lies where in a checkpoint |
| `manifest` | which run a checkpoint is of |
| `exchange` | the folder in which hosts meet |
| `host` | a process that has some shards, and takes the steps of a batch |
| `batch_runner` | batch after batch, each from the states after the one before |
| `sharded_run` | the parts of a run |
| `spark_hosts` | hosts as the tasks of a Spark job |
| `spark_source` | pieces as a streaming source of Spark |
| `spark_query` | a run as a streaming query of Spark, which may be stopped between batches |
"""
