"""What was found, as tables for people and JSON for programs.

| file | what it is |
|---|---|
| `report` | the whole report: all tables, and one JSON object with the machine |
| `closure_report` | closures and entailment over a stream |
| `retraction_report` | taking facts back |
| `mtl_report` | models of programs with metric time |
| `hypothesis_report` | hypothetical and possible answers |
| `spark_report` | bulk loading, and streams over shards |
"""
