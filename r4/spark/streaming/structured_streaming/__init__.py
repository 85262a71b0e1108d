"""What runs on Spark Structured Streaming; nothing else of `r4.spark.streaming` imports Spark.

| file | what it is |
|---|---|
| `spark_hosts` | hosts as the tasks of a Spark job |
| `spark_source` | pieces as a streaming source of Spark |
| `spark_query` | a run as a streaming query of Spark, which may be stopped between batches |
"""
