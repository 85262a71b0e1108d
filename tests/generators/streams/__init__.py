"""Whole runs: rules, elements, options and texts.

`runs` has `RunCase`, one run with all its texts; `metric_runs` those with metric operators,
`timed_runs` those in recorded time, `zoned_runs` those near to where clocks of a zone change.
`elements` draws the elements of a stream, `text` writes them. `shrinking` makes a case smaller.
`features` names what a case exercises, and `profile` counts that.
"""
