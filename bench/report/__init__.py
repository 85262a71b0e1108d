"""What was found, as tables and pictures for people, and JSON for programs.

Each benchmark has a class of `report.Findings`: tables, JSON, what is wrong.

| room or file | what it is |
|---|---|
| `report` | the whole report: all tables, and one JSON object with the machine |
| `files` | the same as a folder: JSON, Markdown, HTML, pictures |
| `plot` | lines between two axes, as SVG |
| `stream_pictures` | time over the window, and memory through a run |
| `comparison_report` | rules over streams: times and ratios, memory, the engine alone |
| `sensor_report` | rules over published streams of real observations |
| `format_report` | what a triple costs in each input format |
| `closure_report` | closures and entailment over a stream |
| `retraction_report` | taking facts back |
| `spark_report` | bulk loading, and streams over shards |
| `temporal` | the same of metric time and of hypothetical answers |
"""
