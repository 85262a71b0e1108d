"""Options and arguments that commands share.

| file | what it is |
|---|---|
| `shared_options` | an option a name, with one meaning and one line of help |
| `input_options` | how inputs are read where their names do not say it |
| `run_options` | the values of the options of a run, parsed |
| `iri_names` | IRIs in the values of options, in full or with a prefix |
| `run_arguments` | the rules, static data and streams of a run, read in the order of the line |
| `rule_documents` | rules with what they import, read and compiled |
| `document_argument` | a premise or a conclusion: rules or a graph |
| `bare_durations` | the warning of durations without a unit, in a run over dateTimes |
| `datatype_option` | ``--recognise``: the datatypes whose literals have a value |
| `size_option` | ``--memory``, ``--max-expanded``: sizes such as 2GB |
| `spark_options` | where Spark runs, with which settings, and the number of shards |
"""
