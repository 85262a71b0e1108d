"""`r4 spark`, compared with `r4 run`.

`mix` has the cases, with late elements and with elements that take others back. `thread_hosts`
runs a case without Spark: hosts are threads (`in_process_hosts`), and drivers stop between batches.
`in_process_units` runs a load so. `session` runs a case on Spark; `process_kills` kills workers and
drivers in the middle of a run.
``python -m tests.simulation.spark.state_store_cost`` measures what states cost: `state_store_cost`.
"""
