"""Streams over shards: Spark Structured Streaming starts the batches, the shards take their steps.

A batch is some pieces of files. The front reads them, judges elements as ``r4 run`` does, and
writes the inputs of each shard, step by step. Hosts take these steps with their shards, send each
other messages, and leave answers and states in files. Only `spark_*` import Spark.

| file | what it is |
|---|---|
| `file_pieces` | pieces: parts of files, batch by batch |
| `piece_source` | a source that is read piece by piece |
| `front` | the process that reads: pieces in, steps of shards out |
| `checkpoint_layout` | the files of a checkpoint, and what it is of: rules, options, inputs |
| `exchange` | the folder through which hosts send messages; these, and inputs, as Arrow files |
| `host` | a process that has some shards, and takes the steps of a batch |
| `batch_runner` | runs batch after batch, each from the states after the one before |
| `sharded_run` | a run: its options, and the objects that it is made of |
| `spark_hosts` | hosts as the tasks of a Spark job |
| `spark_source` | pieces as a streaming source of Spark |
| `spark_query` | a run as a streaming query of Spark, which may be stopped between batches |
"""
