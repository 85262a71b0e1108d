"""The benchmarks: who runs what, round by round, and the ratios and bounds that follow.

| room or file | what it is |
|---|---|
| `comparison` | rules over streams: R4 and peers, answers checked |
| `sensor_streams` | the same over published streams of real observations |
| `contestants` | who takes part in that, with which command |
| `peer` | what a peer can answer, and how it is run |
| `installations` | where peers are that the user installed |
| `engine_rate` | the engine without reading and writing |
| `input_formats` | reading alone, in each input format, against pyoxigraph |
| `memory_growth` | memory, as the stream grows |
| `temporal` | the same of metric time and of hypothetical answers |
| `bulk_load` | bulk loading on Spark, and a rule on what is loaded |
| `sharded_stream` | a stream over shards on Spark, against one network |
| `graphs` | the same of graphs that are closed, or that facts are taken back from |
"""
