"""Faults of metric time, detected by models and networks (`detection`).

`operators`: in what an operator makes of intervals, and where rules are joined; `periods`: in how a
model repeats, and in queries about it; `streams`: in what is forgotten and retracted
while facts come; `period_search`, `constraints`, `explanations`: in the search for periods, in what
is inconsistent by what, and in why facts hold, each with a comparison of its own.
"""
