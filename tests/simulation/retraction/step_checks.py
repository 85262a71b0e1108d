"""What is compared after a step: answers with the oracle, memory with a fresh engine."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rete.arrays.delta import NEG_INF
from rete.network.plan_migration import migrate
from tests.generators.stories.steps import Story
from tests.oracles.rules.formulas import Time
from tests.oracles.streams.output_lines import Line
from tests.oracles.streams.retraction import ElementLog
from tests.simulation.dictionary_check import check_dictionary
from tests.simulation.retraction.core_player import CorePlayer, engine_form
from tests.simulation.retraction.disagreement import raise_disagreement
from tests.simulation.retraction.memory import derived, ended, memory, pinned, unknown, used
from tests.simulation.retraction.programs import compiled, joining
from tests.simulation.retraction.rule_history import RuleHistory


class StepChecks:
    """Compares a player with its diary.

    Attributes:
        found: what the story exercises.
        told_to: lines before this time were compared.
    """

    def __init__(
        self, story: Story, diary: ElementLog, rules: RuleHistory, player: CorePlayer
    ) -> None:
        self._story = story
        self._diary = diary
        self._rules = rules
        self._player = player
        self._heard = 0
        self.found: set[str] = set()
        self.told_to: Time = math.nextafter(-math.inf, 0)

    @property
    def last(self) -> int:
        """The largest stamp, in ticks."""
        return int(self._diary.last) if self._diary.last > -math.inf else NEG_INF

    def answers(self, frontier: Time, passed: Sequence[Line] | None = None) -> None:
        """What was told since the last time, and what is held to be true.

        ``passed``: the lines that were due, if what is due now does not say so any more.
        """
        diary = self._diary
        if passed is None:
            passed = diary.due(self.told_to, frontier)
        self.told_to = max(self.told_to, frontier)
        self._lines(passed)
        if diary.frontier == -math.inf:
            return
        now = int(diary.frontier)
        for tick in (now, now + 1, now + 3, now + 10_000):
            held = sorted({fact[1:] for fact in diary.holding(tick) if fact[0] == "triple"})
            found = sorted(self._player.core.derived_at(tick))
            if held != (sorted({*found}) if self._player.instances else found):
                self.complain(f"derived at {tick}", found, held)

    def _lines(self, passed: Sequence[Line]) -> None:
        lines, self._heard = self._player.lines[self._heard :], len(self._player.lines)
        wanted = list(passed) if self._story.regime else list(map(engine_form, passed))
        if wanted != lines:
            self.complain("lines", lines, wanted)
        if wanted:
            self.found.add("answers")
        if any(line.op == "-" for line in wanted):
            self.found.add("expiry")

    def memory(self) -> None:
        """What is remembered, with what a fresh engine remembers of what counts."""
        diary, dropped = self._diary, self._rules.dropped
        if diary.frontier == -math.inf:
            return
        now = int(diary.frontier)
        self._player.core._inference.run()
        fresh = self._fresh()
        layers = self._player.core.layers, fresh.core.layers
        for own, other in zip(*(each.networks for each in layers), strict=True):
            migrate(other, own.orders, 2 * now)
        mine, theirs = (memory(each.core, now, dropped) for each in (self._player, fresh))
        for place in mine.keys() | theirs.keys():
            more = mine.get(place, set()) - theirs.get(place, set())
            less = theirs.get(place, set()) - mine.get(place, set())
            if more or less:
                self.complain(f"memory {place}", sorted(more, key=str), sorted(less, key=str))

    def _fresh(self) -> CorePlayer:
        """An engine that was told only what counts, by the rules that are left."""
        diary, rules = self._diary, self._rules
        player = CorePlayer(compiled(self._story.document, self._story), self._story, keep=True)
        player.core.keep_order()
        player.begin([one.fact for one in diary.assertions if one.start == -math.inf])
        if rules.dropped:
            player.core.drop(rules.dropped)
        said = [
            one for one in diary.assertions if one.start > -math.inf and one.until > diary.frontier
        ]
        said = [one for one in said if one.counts]
        for since, document in rules.joined:
            before = [one for one in said if one.start < since]
            said = [one for one in said if one.start >= since]
            player.step(before, int(since), int(since))
            player.core.add(joining(document, self._story, player.core.program))
            if rules.dropped:
                player.core.drop(rules.dropped)
        player.step(said, int(diary.frontier), self.last)
        player.core._inference.run()
        return player

    def terms(self) -> None:
        """No row mentions a term that was forgotten."""
        core = self._player.core
        check_dictionary(core.terms)
        if missing := unknown(core):
            self.complain("forgotten terms in use", missing, [])

    def nothing_left(self) -> None:
        """Nothing is left of what elements said; without rules, nothing that they derived."""
        core = self._player.core
        now = int(self._diary.frontier) - 1
        if rows := ended(core, now):
            self.complain("rows left", rows, [])
        mine = pinned(core) | used(core)
        if len(core.terms) > len(mine):
            self.complain("terms left", [len(core.terms)], [len(mine)])
        if not self._rules.left and (rows := derived(core, now)):
            self.complain("derived rows left", rows, [])
        self.found.add("all taken back")

    def end(self) -> None:
        """All that is still to be told."""
        if self._diary.last > -math.inf:
            passed = self._diary.due(self.told_to, math.inf)
            self._player.finish(self.last)
            self._lines(passed)
        if self._rules.rounds > 1:
            self.found.add("second round")

    def complain(self, what: str, found: Sequence[object], wanted: Sequence[object]) -> None:
        """Raises a `Disagreement`, with the time."""
        raise_disagreement(f"{what} at frontier {self._diary.frontier}", found, wanted)
