"""Options and arguments of commands, and what becomes of their values.

The options themselves are declared in ``r4/options``.

| file | what it is |
|---|---|
| `declared_options` | options of click, made of the fields that declare them |
| `input_options` | the formats, mappings and contexts of inputs |
| `run_options` | durations, and how streams are read |
| `iri_names` | IRIs in the values of options, in full or with a prefix |
| `run_arguments` | the rules, static data and streams of a run, read in the order of the line |
| `rule_documents` | rules with what they import, read and compiled |
| `document_argument` | a premise or a conclusion: rules or a graph |
| `bare_durations` | the warning of durations without a unit, in a run over dateTimes |
| `datatype_option` | ``--recognise``: the datatypes whose literals have a value |
| `size_option` | sizes such as 2GB |
| `sink_format_choice` | ``--as`` of a run: forms of answers |
| `spark_options` | where Spark runs, with which settings, and the number of shards |
"""
