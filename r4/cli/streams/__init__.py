"""The commands that run rules over streams, and those on what such a run keeps, a file each.

| file | what it is |
|---|---|
| `run` | runs rules over streams; answers come as they become final |
| `run_command_options` | the values of all its options, and what follows from them |
| `query_reports` | the reports that a query over streams says by itself |
| `run_outputs` | where its answers go, and its state |
| `test` | runs cases of rules, and says what differs from what they expect |
| `case_arguments` | the arguments of `run` for a case |
| `state` | shows, verifies, prunes and migrates what `run` keeps to go on |
| `status` | prints where such a run is |
| `replay` | lets such a run happen again |
| `spark` | runs rules over streams in shards, on Spark |
"""
