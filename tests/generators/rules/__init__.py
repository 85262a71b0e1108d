"""RIF documents and their text.

`documents` draws whole documents, of safe `conditions`; `termination` decides whether rules come to
an end. `dense` draws rules that feed each other often; `metric` those with metric operators.
`syntax` and `metric_syntax` draw syntax trees of every shape. `text` writes documents in the many
ways of the presentation syntax; `event_text` those with aggregates and event
times. `parsers` reads and writes in R4's language.
"""
