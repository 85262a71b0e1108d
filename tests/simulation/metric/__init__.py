"""Models and networks of metric rules, compared with their definitions.

`models` compares a materialised model with that of the oracle; `tally` counts many. `operators`
applies single operators through models, `operator_kernels` by the kernels. `networks` feeds random
networks in several ways, with `network_run`. `periods` compares the periods that are found;
`constraints` compares what is inconsistent by what, `explanations` why facts hold, `lacks` why not;
`infinite_ranges` has ranges to infinity over endless models. `updates` compares live models, update
by update, with models that are derived anew, `model_states` those that are saved and loaded between
them; `fact_streams` answers along streams of facts. `single_texts` parses one
fact, rule or table from a text.
"""
