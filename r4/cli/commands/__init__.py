"""The commands, a file each, and the sessions that run streams for them.

| file | what it is |
|---|---|
| `demo` | storms in real weather reports |
| `run` | rules over streams, answers as they become final |
| `stream_session` | a run, from its options to what is said at its end |
| `check` | all that is wrong with rules |
| `convert` | rules between the presentation syntax and RIF/XML |
| `entails` | does a premise entail a conclusion? |
| `plan` | the network of rules, with what is shared, or its shards |
| `explain` | why a fact holds, since when and until when |
| `explain_session` | a run that is read as far as the question needs |
| `hypothesise` | what may become true, on what evidence, waiting for what |
| `load` | files of RDF into a folder, on Spark |
| `spark` | answers over streams, in shards on Spark |
| `doctor` | what is installed, active, missing |
"""
