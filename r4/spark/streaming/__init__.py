"""Streams over shards: Spark Structured Streaming starts the batches, the shards take their steps.

A batch is some pieces of files. The front reads them, judges them as ``r4 run`` does, and writes
down what each shard is given, step by step; hosts take these steps with their shards, send each
other what crosses, and leave answers and states in files. Nothing here but `job`, `query` and
`source` knows of Spark; `here` runs the same in threads.

| file | what it is |
|---|---|
| `pieces` | which parts of which files are there |
| `reading` | a source that is read piece by piece |
| `uniting` | fewer batches that have the same answers |
| `front` | pieces in, steps of shards out |
| `letters` | what steps are given and what crosses, as Arrow files |
| `places` | what lies where in a checkpoint |
| `about` | what a checkpoint is of |
| `exchange` | where hosts meet |
| `host` | a process that has some shards, and takes the steps of a batch |
| `course` | batch after batch, each from the states after the one before |
| `run` | all that a run is made of |
| `telling` | what is said beside answers |
| `here` | hosts as threads |
| `job` | hosts as the tasks of a Spark job |
| `source` | pieces as a streaming source of Spark |
| `stopping` | stopping between two batches |
| `query` | a run as a streaming query of Spark |
"""
