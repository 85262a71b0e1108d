"""Planted faults: small mistakes in the engine, each of which a comparison must detect.

`detection` has `FaultArea`, faults with the comparison that must detect them; `areas` lists all.
`streams` are faults of `r4 run`, detected by `stream_detection`; `timed_streams` those of runs in
real time; `states` those of runs that are killed and go on, `engine_states` those of engines of the
library; `join_orders` those of other orders of joins; `early_results` those of `--order arrival`;
`justifications` those of justifications, `lacks` those of what is said to lack; `meetings` those
where two dimensions of a run meet; `executors` those of
rows that take in single elements; `views` those of scans that share a store; `events` those of
aggregates and event times, `summation` those of aggregates of all time; `numbers` those of numbers
by value; `ranking` those of confidence and top-k that two areas share. Rooms: `retraction`,
`metric`, `hypothetical`, `spark`.

``python -m tests.faults AREA [COUNT [NAME…]]`` prints which seed detects each fault first.
"""
