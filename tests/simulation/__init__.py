"""The engine in this process, compared with an oracle case by case.

`command` runs `r4` and catches its output; `shown_commands` reads commands in Markdown, with what
they print; `core_run` feeds a `Core` in ids and ticks; `api_engine` maps a scenario to what
`r4.Engine` takes and its changes to lines; `closure` computes the closure of triples,
`background_rules` compares rules above a regime with the same among its rules. `stream_comparison`,
`metric_comparison`, `timed_comparison`, `early_results` and `reports` compare `r4 run` with its
oracle; `piped_runs` compares a pipe of two runs with one program, `input_formats` runs of one
stream in several formats; `summation` compares engines that forget what is long ago with some that
do not; `executor_turns` engines whose elements are taken in by rows, and by columns;
`shuffled_orders` lets joins come into orders of chance; `other_version` is another version of R4,
as far as states can tell; `inference_run` is an inference engine whose facts come and go by number;
`dictionary_check` looks whether the tables of a dictionary agree; `plugged` installs a package that
extends R4; `report` prints what cases exercise. Rooms: `meetings`, `retraction`, `metric`,
`hypothetical`, `possible`, `explanation`, `shards`, `spark`, `state`.

``python -m tests.simulation AREA [COUNT [FIRST [KIND]]]`` compares cases by seed.
"""
