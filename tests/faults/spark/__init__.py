"""Faults of runs over shards and of loads.

`shards`, detected by `shard_detection`; `streaming`, where batches stop and go on, detected by
`streaming_detection`; `reports` at marks of time, and `loading`, each with its comparison.
"""
