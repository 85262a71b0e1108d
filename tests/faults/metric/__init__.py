"""Faults of metric time, detected by models and networks (`detection`).

`operators`: in what an operator makes of intervals, and where rules are joined; `periods`: in how a
model repeats, and in queries about it; `streams`: in what is forgotten and retracted while facts
come. Each with a comparison of its own: `fact_streams` in answers along streams of facts,
`period_search` in the search for periods, `constraints` in what is inconsistent by what,
`explanations` in why facts hold, `updates` in live models, `model_states` in those that are saved
and loaded.
"""
