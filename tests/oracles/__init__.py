"""Oracles: definitions as slow programs that share no code with the packages under test.

They import the classes of the syntax trees alone. Each room has the definitions of one part:
`rules`, `streams`, `rdf`, `metric` time, `events`: aggregates and event times, `hypothetical`
answers of Temporal Datalog, `possible` answers of RIF rules.
"""
