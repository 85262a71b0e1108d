"""Meetings: the library, the command and shards, compared with the definition.

| file | what is in it |
|---|---|
| `engine_run` | a history told to an `Engine` |
| `command_run` | a history as files, for ``r4 run``, in one network or over shards |
| `reread_run` | a history for ``r4 run`` that reads static data and rules again |
| `comparison` | which lines differ from the definition; cases by seed |
| `event_comparison` | the same of rules with aggregates and event times |
| `number_comparison` | the same of rules that write numbers otherwise than the data |
| `coverage` | how often each pair of dimensions meets |"""
