"""The commands, a file each.

| file | what it is |
|---|---|
| `demo` | runs the main example: storms in real weather reports |
| `run` | runs rules over streams; answers come as they become final |
| `state` | shows, verifies and prunes what `run` keeps to go on |
| `status` | prints where such a run is |
| `replay` | lets such a run happen again |
| `check` | reports all faults of rules |
| `convert` | converts rules between the presentation syntax and RIF/XML |
| `entails` | decides whether a premise entails a conclusion |
| `plan` | shows the network of rules and what they share, or its shards |
| `explain` | explains why a fact holds, since when and until when |
| `hypothesise` | gives hypothetical answers, with evidence and what they wait for |
| `load` | loads files of RDF into a folder, on Spark |
| `spark` | runs rules over streams in shards, on Spark |
| `doctor` | reports what is installed, active, missing |
"""
