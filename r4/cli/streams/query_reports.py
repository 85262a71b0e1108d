"""Options that a query over streams says by itself: how often it reports, and what."""

from __future__ import annotations

from dataclasses import replace

from r4.cli.streams.run_command_options import RunCommandValues
from r4.foreign.rule_parser import language_of


def as_query_says(options: RunCommandValues, rules: bytes) -> RunCommandValues:
    """The options of a run of ``rules``, with those that they say and no option does.

    ``STEP`` and ``EVERY`` are ``--every``; RSTREAM is ``--report state``, ISTREAM and DSTREAM are
    ``--ops``, of reports with ``--report changes``. Nothing is taken over where reports are not
    possible.
    """
    if language_of(rules, options.rules) != "sparql":
        return options
    given = (options.every, options.report, options.offset, options.zone)
    if options.ops != "both" or any(each is not None for each in given):
        return options
    if options.arrival or options.instances or options.hypotheses is not None:
        return options
    from r4.foreign.sparql.continuous import ContinuousQuery

    query = ContinuousQuery.of(rules.decode("utf-8", "replace"))
    if query.every is None:
        return replace(options, ops=query.output) if query.output in {"+", "-"} else options
    every = str(query.every)
    if query.output in {"+", "-"}:
        return replace(options, every=every, report="changes", ops=query.output)
    return replace(options, every=every)
