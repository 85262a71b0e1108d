"""The nodes of the network: state in SteMs, and how each follows change.

base.py       a stream: what a plan computes, its SteM, who reads it
alpha.py      routes facts to the scans they match
join.py       a beta node: probes one side with the gains of the other
shift.py      numbers moved by a constant, row by row
linear.py     filters and functions, row by row
metric.py     diamonds, boxes, Since and Until
calls.py      calls of built-ins, each once; what was outside their domain
held.py       facts as a set, and which rules give them
ticks.py      the same as they hold at ticks
terminal.py   the facts that rules derive, and where they go from there
"""
