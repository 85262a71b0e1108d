"""R4's own programs that suites start as a process each; each prints a report in JSON.

The types of these reports are those of the suites.

| file | what it is |
|---|---|
| `bare_engine` | the engine on triples that are ids already |
| `add_graphs` | adds a stream to an engine graph by graph |
| `add_events` | adds single events to an engine, one by one, and checks all changes |
| `read_formats` | reads one stream in each input format, and checks what was read |
| `close_graph` | materialises the closure of a graph |
| `retract_facts` | takes facts back from a graph, and checks what is left |
| `follow_groups` | members come and go in one group, under each aggregate |
| `follow_readings` | follows hypothetical answers, or runs the plain network |
| `run_with_hypotheses` | runs rules over a stream, with or without possible answers |
| `materialise_model` | derives the model of a program with metric time |
| `compare_models` | compares the model of a peer with that of R4 |
| `update_model` | a live model follows deletions and insertions, against deriving it anew |
| `follow_change` | the same of one change, on a small slice that a peer follows, too |
"""
