"""Shards in one process, compared with the single network.

`mix` has the cases: runs of text, and stories; `random_placement` places bodies and facts at
random. `command` runs a case of text as `r4 run` does and over shards; `story_run` plays a story to
both; `rounds` has all shards of a partition in this process. `static_closure` compares closures of
static data. `seeds` compares many cases by seed.
"""
