"""R4's own programs that suites start as a process each; each prints a report in JSON.

The types of these reports are those of the suites.

| room or file | what it is |
|---|---|
| `bare_engine` | the engine on triples that are ids already |
| `add_graphs` | adds a stream to an engine graph by graph |
| `read_formats` | reads one stream in each input format, and checks what was read |
| `base_table` | the engine with and without the base table |
| `close_graph` | materialises the closure of a graph |
| `retract_facts` | takes facts back from a graph, and checks what is left |
| `tell_silence` | how soon silence is told, and elements are complete |
| `keep_engine_state` | what `Engine(state=…)` costs for each element |
| `kill_run` | memory, throughput and answers of a run that is killed again and again |
| `keep_state` | what `r4 run --state` costs, checkpoints and restarts |
| `share_engine` | what it costs that threads share an engine |
| `temporal` | the same of metric time and of hypothetical answers |
"""
