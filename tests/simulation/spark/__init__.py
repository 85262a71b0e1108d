"""``r4 spark`` against ``r4 run``.

| file | what it is |
|---|---|
| `cases` | the mix of cases, with late data and with elements that take others back |
| `playing` | a case without Spark: hosts are threads, and drivers stop between batches |
| `running` | a case on Spark |
| `killing` | workers and drivers that are killed in the middle of a run |
| `storing` | what states cost as snapshots, and in the state store of Spark |

``python -m tests.simulation.spark [COUNT [FIRST]]`` compares cases by seed on Spark, ``python -m
tests.simulation.spark.thread_hosts [COUNT [FIRST]]`` without it, ``python -m tests.simulation.spark.process_kills [COUNT]`` kills,
``python -m tests.simulation.spark.state_store_cost`` measures.
"""
