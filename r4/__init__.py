"""What people install: the engine, its streams and its command line.

The engine: `compile` takes a document to plans, `engine` runs their network batch by batch,
`answers` keeps what began and ceased to hold, `changes` brings it into the order of the lines.

Streams in: `files` opens, `rdf` knows the formats, `chunks` reads the line formats and
`statements` the others, for which `turtle` finds where statements end; `guards` refuses what would
exhaust a parser, `blanks` names blank nodes, `faults` counts what is wrong with data. `time` turns
stamps and durations into ticks, `stamps` whole columns of them, and `clock` turns ticks back.

Around it: `sinks` has a file a format of answers, `cli` a file a command, `bench` the workloads
and comparisons; `extras` says what a missing extra is for.
"""

__version__ = "0.1.0"
