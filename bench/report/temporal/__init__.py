"""What was found of metric time and of hypothetical answers.

| file | what it is |
|---|---|
| `metric_stream_report` | streams with metric time |
| `mtl_report` | models of programs with metric time |
| `update_report` | models that follow changes of their data |
| `growth_picture` | how long a change takes in models of more and more facts |
| `hypothesis_report` | hypothetical and possible answers |
"""
