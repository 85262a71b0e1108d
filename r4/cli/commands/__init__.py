"""The commands on rules, facts and the installation, a file each; `r4.cli.streams` has the others.

| file | what it is |
|---|---|
| `demo` | runs the main example: storms in real weather reports |
| `check` | reports all faults of rules |
| `map` | proposes a mapping of a table from its first rows |
| `convert` | converts rules between the presentation syntax and RIF/XML |
| `fmt` | lays out rule files |
| `lsp` | serves editors |
| `entails` | decides whether a premise entails a conclusion |
| `plan` | shows the network of rules and what they share, or its shards |
| `explain` | explains why a fact holds, since when and until when |
| `hypothesise` | gives hypothetical answers, with evidence and what they wait for |
| `load` | loads files of RDF into a folder, on Spark |
| `bench` | finds the benchmarks of a checkout, or says where they are |
| `doctor` | reports what is installed, active, missing |
"""
