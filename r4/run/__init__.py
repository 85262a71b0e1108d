"""The one place that drives a core: take in, derive, close, emit, report.

The command line, the library, `r4 explain`, the demo and the shards use it.

| file | what it is |
|---|---|
| `driver` | the order of a step, and the end of the input |
| `static_data` | reads static data: imported graphs, documents, loaded folders |
| `stream_run` | sources through a driver, batch by batch, with possible answers beside |
| `reference_data` | static documents and rules as they were read last: what joins and leaves |
| `reference_reader` | reads them again, when a signal asks for it or their files change |
| `run_bounds` | memory and signals: what ends a run between two steps |
| `status` | where a run is: its frontier, counts and memory, every second |
| `report` | what was left out, late, without effect or outside of a domain: samples and counts |
| `summary` | what was read and written, as one line |
| `unmet_bodies` | rules whose patterns all matched, but never together |
| `dangling_tuples` | values of a stream for which static data have no partner |
| `pattern_coverage` | patterns of rules that no fact matched, with the nearest name that occurs |
"""
