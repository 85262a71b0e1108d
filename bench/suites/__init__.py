"""The benchmarks, each a file: workload, contestants, how results are checked, bounds, tables.

| file | what it is |
|---|---|
| `streams` | rules over streams: R4 and peers, answers checked |
| `stream_contestants`, `stream_peers` | who takes part in that, and how peers are run |
| `stream_pictures` | its pictures: time over the window, memory through a run |
| `sensors` | the same over published streams of real observations |
| `engine` | the engine without reading and writing |
| `events` | one call of `Engine.add` with one event, and peers on a join |
| `formats` | reading alone, in each input format, against pyoxigraph |
| `sources` | elements dealt out to many files, against one file |
| `aggregates` | aggregates of windows and of one large group, beside libraries for tables |
| `memory` | memory, as the stream grows |
| `closure`, `closure_parts` | graphs that are closed; on what two closures can be compared |
| `retraction` | facts retracted from graphs, against computing what is left |
| `mtl` | models of programs with metric time |
| `mtl_stream` | streams with metric time |
| `mtl_update`, `mtl_slices` | models that follow changes; small ones, beside a peer |
| `hypotheses` | hypothetical answers to readings that come late |
| `possible_answers` | possible answers of rules over the same readings as RDF |
| `load` | bulk loading on Spark, and a rule on what is loaded |
| `spark` | a stream over shards on Spark, against one network |
"""
