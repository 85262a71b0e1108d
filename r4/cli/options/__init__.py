"""Options and arguments of commands, and what becomes of their values.

The options themselves are declared in ``r4/options``.

| file | what it is |
|---|---|
| `declared_options` | options of click, made of the fields that declare them |
| `input_options` | the formats, mappings and contexts of inputs |
| `durations` | durations and delays, and the warning of those without a unit |
| `iri_names` | IRIs in the values of options, in full or with a prefix |
| `report_arguments` | when there are reports at marks of time, and of what |
| `run_arguments` | the rules, static data and streams of a run, and how they are read |
| `rule_documents` | rules with what they import, read and compiled |
| `document_argument` | a premise or a conclusion: rules or a graph |
| `sink_format_choice` | ``--as`` of a run: forms of answers |
| `spark_options` | where Spark runs, with which settings, and the number of shards |
"""
