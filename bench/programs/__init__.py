"""R4's own programs that suites start as a process each; each prints a report in JSON.

The types of these reports are those of the suites.

| room or file | what it is |
|---|---|
| `bare_engine` | the engine on triples that are ids already |
| `add_graphs` | adds a stream to an engine graph by graph |
| `read_formats` | reads one stream in each input format, and checks what was read |
| `close_graph` | materialises the closure of a graph |
| `retract_facts` | takes facts back from a graph, and checks what is left |
| `temporal` | the same of metric time and of hypothetical answers |
"""
