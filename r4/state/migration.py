"""Migration: other rules take over the state of a run that has stopped.

That a state of another version of R4 may be taken over by that, too, is in `RunParts.restore`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from r4.run.reference_data import ReferenceData
from r4.state.errors import OtherCommand
from r4.stream.input_events import ChangeReferences, EndInput, InputEvent
from r4.stream.source_buffer import SourceBuffer
from rif.errors.report import RuleErrors


class RulesTakeOver:
    """A schedule that lets other rules take the place of those that run, and ends the run.

    So a state is migrated by what happens to a run that reads its rules again: no input is lost or
    read twice, and what the rules say from the frontier on is defined there.
    """

    def __init__(
        self, references: ReferenceData, rules: bytes, say: Callable[[str], object]
    ) -> None:
        """Begin; ``rules`` is what they say, ``say`` is called with lines for a person."""
        self._references = references
        self._rules: bytes | None = rules
        self._say = say

    def next_event(self, _sources: Sequence[SourceBuffer], _least: int) -> InputEvent:
        """The change of rules, if they differ, then the end.

        Raises:
            OtherCommand: they cannot take over.
        """
        rules, self._rules = self._rules, None
        if rules is None:
            return EndInput()
        try:
            difference = self._references.check_rules(rules)
        except RuleErrors as errors:
            self._say(errors.report())
            message = "these rules cannot take the state over, which stays as it was"
            hint = "mend them, or put back what the run read last, or begin with an empty folder"
            raise OtherCommand(message, hint) from None
        if difference.is_empty:
            self._say("the rules are those that the run read last")
            return EndInput()
        return ChangeReferences(rules=rules)
