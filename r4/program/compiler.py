"""The compiler: from documents to a program, plans of rules and facts that always hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Final

from r4.language import LANGUAGE
from r4.program.equal_terms import follow_same_as, repeating_rules
from r4.program.errors import (
    EndlessLookahead,
    MetricInstances,
    NegationBeforeRecursion,
    NegationOfInstances,
    NotStratifiedRules,
    TimesOfOtherRules,
    TimeTooLong,
    TooManyConditions,
    WindowFinerThanTick,
)
from r4.program.lookahead import (
    asks_for_times,
    is_metric,
    open_range_errors,
    range_errors,
    reads_marks,
    time_reach,
    without_instances,
)
from r4.program.negation import stratification_error
from r4.program.program import (
    BACKGROUND,
    NO_REACH,
    ClausePlace,
    Fact,
    OpenEnds,
    Program,
    TimeReach,
)
from r4.program.range_ends import EndValues
from r4.program.regimes import rule_name
from r4.stream.windows import NO_WINDOWS, Windows
from r4.time.ticks import FinerThanTick, OutOfRange, TimeScale
from rete.graph.plan import Emit, Plan, below, map_constants
from rete.nodes.builtin import BuiltinPlan
from rete.nodes.scan import Scan
from rete.planning.earlier_answers import with_earlier_answers
from rete.planning.event_facts import times_across, with_event_facts
from rete.planning.lowering import Conjunction, lower
from rete.planning.plan_builder import MAX_CONDITIONS, build_plan
from rete.planning.strata import has_negation
from rete.terms.literal_values import value_text
from rete.terms.relations import ERROR
from rif.errors.base import NOWHERE, RuleError
from rif.errors.report import RuleErrors
from rif.language import Language
from rif.syntax.ast import And, Document, Exists, Formula, Or
from rif.syntax.clauses import Clause, clauses
from rif.syntax.garbage_collection import collector_paused
from rif.syntax.negation import Naf
from rif.syntax.traversal import rules
from temporal.metric_rif.range_ends import EndPattern, range_ends

_REPEATING: Final = frozenset({"eq-sym", "eq-trans", "eq-rep-s", "eq-rep-p", "eq-rep-o"})
"""The rules that repeat a fact for all terms that are the same [OWL2-RL, Table 4]."""


@collector_paused()
def compile_document(  # noqa: PLR0913 - all that a program hangs on
    document: Document,
    scale: TimeScale,
    *,
    imported: Sequence[Document] = (),
    background: Document | None = None,
    before: int = 0,
    running: Program | None = None,
    instances: bool = False,
    literals_by_value: bool = False,
    windows: Windows = NO_WINDOWS,
    language: Language = LANGUAGE,
    end_values: EndValues | None = None,
) -> Program:
    """Compile ``document``.

    Args:
        document: the main document; its window counts.
        scale: what a tick is.
        imported: the other documents of its import closure, without their windows.
        background: rules that give meaning to a vocabulary, such as those of an entailment regime.
        before: how many clauses have numbers already.
        running: the running program that it is added to, whose clauses have those numbers.
        instances: whether answers are to be instances.
        literals_by_value: whether literals of equal values are to be one term; which rules feed
            which depends on it.
        windows: those that options give; those of ``running`` count if there is one.
        language: what the documents are written in; that of ``running`` counts if there is one.
        end_values: of variables that end ranges; None: they are not known yet.

    Raises:
        RuleErrors: the window or a range is no whole number of ticks, a body is too long, a
            negation has no meaning, or rules look ahead without end.
        OutOfRange: a window of ``windows`` and the ranges of rules reach too far together.
        RangeEndsRefused: there are too many values of variables that end ranges.
    """

    def close(values: EndValues) -> Program:
        return compile_document(
            *(document, scale),
            imported=imported,
            background=background,
            before=before,
            instances=instances,
            literals_by_value=literals_by_value,
            windows=windows,
            language=language,
            end_values=values,
        )

    language = language if running is None else running.language
    beneath = None
    if background is not None:
        by_value = language.numbers_by_value
        beneath = _compile_background(background, scale.per_second, numbers_by_value=by_value)
    unites = running.unites if running is not None else beneath is not None and beneath.unites
    documents = (document, *imported)
    patterns = _end_patterns(documents, scale, is_added=running is not None)
    if end_values is not None:
        documents = tuple(end_values.closed(each, scale) for each in documents)
    before = before if running is None else len(running.labels)
    compiler = _Compiler(before, scale.per_second, language, running)
    for number, part in enumerate(documents):
        compiler.emits += compiler.plans(follow_same_as(part) if unites else part, number)
    if unites:
        compiler.emits += compiler.plans(repeating_rules(documents), BACKGROUND)
    compiler.check_times()
    compiler.emits = with_event_facts(compiler.emits)
    windows = windows if running is None else running.windows
    given = [None if running is None else running.window, windows.others, document.window]
    is_brief = bool(patterns) or is_metric(compiler.emits) if running is None else running.metric
    compiler.emits = with_earlier_answers(
        compiler.emits,
        at_instants=is_brief and not windows.sources and given.count(None) == len(given),
        lasting=frozenset(f"<{iri}>" for iri, _ in windows.predicates),
    )
    background_emits = () if beneath is None else compiler.add_background(beneath)
    if not compiler.faults:
        compiler.check_negation(
            background_emits, document.prefixes, instances=instances, by_value=literals_by_value
        )
    metric = bool(patterns) or is_metric(compiler.emits)
    if instances:
        compiler.check_instances(documents)
    reaches = NO_REACH
    if all(isinstance(each, NotStratifiedRules) for each in compiler.faults):
        reaches = compiler.reach(background_emits)
    if compiler.faults:
        raise RuleErrors(compiler.faults)
    program = Program(
        tuple(compiler.emits),
        tuple(compiler.facts),
        tuple(compiler.labels),
        None if running is None else running.window,
        background_emits,
        unites=unites,
        places=tuple(compiler.places),
        metric=metric,
        looks_back=metric or asks_for_times(compiler.emits),
        reads_marks=reads_marks(compiler.emits),
        reach=reaches,
        open_ends=OpenEnds(patterns, close) if patterns and end_values is None else None,
        end_values=end_values,
        language=language,
    )
    window = _window(program, document, scale)
    return program.with_windows(window if windows.others is None else windows.others, windows)


def _end_patterns(
    documents: Sequence[Document], scale: TimeScale, *, is_added: bool
) -> tuple[EndPattern, ...]:
    """What binds the variables that end ranges; raises `RuleErrors` for ranges that are wrong."""
    ends = range_ends(documents)
    faults = [fault for part in documents for fault in range_errors(part, scale)]
    faults += ends.faults
    if is_added:
        faults += open_range_errors(documents, "in rules that are added")
    if faults:
        raise RuleErrors(faults)
    return tuple(ends.patterns)


class _Compiler:
    """Collects documents, one after the other."""

    def __init__(
        self, before: int, scale: int, language: Language, running: Program | None = None
    ) -> None:
        self._before = before
        self._language = language
        self._scale = scale
        self._running = running
        self.emits: list[Emit] = []
        self.facts: list[Fact] = []
        self.labels: list[str | int] = []
        self.places: list[ClausePlace] = []
        self.faults: list[RuleError] = []

    def add_background(self, given: _Background) -> tuple[Emit, ...]:
        """The plans of the rules of the background, whose clauses get the next numbers."""
        before = self._before + len(self.labels)
        self.labels += [name if isinstance(name, str) else name + before for name in given.labels]
        self.places += given.places
        self.faults += given.faults
        return tuple(replace(emit, rule=emit.rule + before) for emit in given.emits)

    def plans(self, document: Document, which: int) -> Iterator[Emit]:
        """The plans of the rules of ``document``; of the background's facts, too."""
        before = self._before + len(self.labels)
        asserts = which != BACKGROUND
        for clause in clauses(document):
            number = before + clause.number
            self.labels.append(clause.iri or number)
            self.places.append(ClausePlace(which, clause.span))
            longest = max(map(_length, clause.bodies), default=0)
            if self._is_too_long(longest, clause):
                continue
            for lowered in lower(replace(clause, number=number), self._language, self._scale):
                conjunction = _consistent(lowered)
                if conjunction is None or (
                    conjunction.negated and self._is_too_long(_size(conjunction), clause)
                ):
                    continue
                error = any(head.relation == ERROR for head in conjunction.heads)
                if asserts and clause.is_fact and not conjunction.late and not error:
                    self.facts += [
                        Fact(head.relation, _ground(head.args), number)
                        for head in conjunction.heads
                    ]
                else:
                    yield build_plan(conjunction)

    def _is_too_long(self, size: int, clause: Clause) -> bool:
        if size > MAX_CONDITIONS:
            message = f"a body of {size} conditions; {MAX_CONDITIONS} is the most"
            self.faults.append(TooManyConditions(message, clause.span))
        return size > MAX_CONDITIONS

    def reach(self, background: Sequence[Emit]) -> TimeReach:
        """How far its answers reach, together with all that runs; an error if there is no end.

        The error of a negation before a cycle has no meaning if they are not stratified.
        """
        emits, places, labels = self._with_running()
        try:
            return time_reach([*emits, *background], places, labels)
        except EndlessLookahead as fault:
            self.faults.append(fault)
        except NegationBeforeRecursion as fault:
            self.faults += [] if self.faults else [fault]
        return NO_REACH

    def check_negation(
        self,
        background: Sequence[Emit],
        prefixes: tuple[tuple[str, str], ...],
        *,
        instances: bool,
        by_value: bool,
    ) -> None:
        """Note the error of a negation that has no meaning; ``prefixes`` are for its message."""
        emits, places, labels = self._with_running()
        if instances:
            negating = next((emit.rule for emit in emits if _has_naf(emit.source)), None)
            if negating is not None:
                message = "a negation has no instances"
                self.faults.append(NegationOfInstances(message, places[negating - 1].span))
        if not any(has_negation(emit.source) for emit in emits):
            return
        named = {number: label for number, label in enumerate(labels, 1) if isinstance(label, str)}
        bodies = [*emits, *background]
        if by_value:
            bodies = map_constants(bodies, value_text)
        fault = stratification_error(bodies, places, named, prefixes)
        if fault is not None:
            self.faults.append(fault)

    def check_instances(self, documents: Sequence[Document]) -> None:
        """Note the error of what has no instances, in place of all others."""
        found = next((each for part in documents for each in without_instances(part)), None)
        if found is not None:
            formula, word = found
            message = f"{word} has no instances"
            self.faults = [MetricInstances(message, formula.span)]

    def check_times(self) -> None:
        """Note the error of a rule and a running one, of which one asks for times of the other."""
        running = self._running
        if running is None:
            return
        found = [
            (asks, f"it asks for times of what rule {derives} derives, which runs already")
            for asks, derives in times_across(self.emits, running.emits)
        ] + [
            (derives, f"it derives facts for whose times rule {asks} asks, which runs already")
            for asks, derives in times_across(running.emits, self.emits)
        ]
        for number, message in found[:1]:
            span = self.places[number - len(running.labels) - 1].span
            self.faults.append(TimesOfOtherRules(message, span))

    def _with_running(
        self,
    ) -> tuple[Sequence[Emit], Sequence[ClausePlace], Sequence[str | int]]:
        """Bodies, places and labels of what runs together, the latter two by clause from 1."""
        running = self._running
        if running is None:
            places = [ClausePlace(0, NOWHERE)] * self._before + self.places
            return self.emits, places, [*range(self._before), *self.labels]
        return (
            [*running.emits, *running.background, *self.emits],
            [*running.places, *self.places],
            [*running.labels, *self.labels],
        )


@dataclass(frozen=True, slots=True)
class _Background:
    """What a background is compiled to, its clauses numbered from 1.

    Attributes:
        unites: whether it repeats a fact for all terms that are the same.
    """

    emits: tuple[Emit, ...]
    labels: tuple[str | int, ...]
    places: tuple[ClausePlace, ...]
    faults: tuple[RuleError, ...]
    unites: bool


@lru_cache(maxsize=16)
def _compile_background(
    document: Document, per_second: int, *, numbers_by_value: bool
) -> _Background:
    compiler = _Compiler(0, per_second, LANGUAGE.with_numbers(by_value=numbers_by_value))
    emits = tuple(compiler.plans(document, BACKGROUND))
    names = {rule_name(rule) for rule in rules(document)}
    return _Background(
        emits,
        tuple(compiler.labels),
        tuple(compiler.places),
        tuple(compiler.faults),
        unites=names >= _REPEATING,
    )


def _length(body: Sequence[Formula]) -> int:
    return sum(map(_conditions, body))


def _conditions(formula: Formula, *, negated: bool = False) -> int:
    """How many there are in a formula; of a disjunction in the longest disjunct.

    What is ``negated`` is not: all of its disjuncts are conditions of one body.
    """
    if not isinstance(formula, And | Or | Exists):
        negated = isinstance(formula, Naf)
    found = [_conditions(part, negated=negated) for part in formula.parts]
    is_choice = isinstance(formula, Or) and not negated
    return 1 + (max(found, default=0) if is_choice else sum(found))


def _consistent(conjunction: Conjunction) -> Conjunction | None:
    """The body without parts that ask for an inconsistency; None if it cannot be true then."""
    if any(pattern.relation == ERROR for pattern in conjunction.patterns):
        return None
    if any(_reads_error(subplan.source) for subplan in conjunction.subplans):
        return None
    negated = tuple(each for each in map(_consistent, conjunction.negated) if each is not None)
    return replace(conjunction, negated=negated) if conjunction.negated else conjunction


def _has_naf(plan: Plan) -> bool:
    """Whether it negates anything, be it a test of bound values."""
    tests = (each for each in below(plan) if isinstance(each, BuiltinPlan))
    return has_negation(plan) or not all(each.passes for each in tests)


def _reads_error(plan: Plan) -> bool:
    if isinstance(plan, Scan):
        return plan.relation == ERROR
    return any(map(_reads_error, plan.joined))


def _size(conjunction: Conjunction) -> int:
    """How many conditions a body has, those of what it negates too."""
    patterns = len(conjunction.patterns) + len(conjunction.subplans)
    own = patterns + len(conjunction.tests) + len(conjunction.lets)
    return own + sum(1 + _size(each) for each in conjunction.negated)


def _ground(args: tuple[object, ...]) -> tuple[str, ...]:
    texts = tuple(arg for arg in args if isinstance(arg, str))
    assert len(texts) == len(args), args
    return texts


def _window(program: Program, document: Document, scale: TimeScale) -> int | None:
    window = document.window
    span = NOWHERE if window is None else window.span
    ticks = program.window
    try:
        if window is not None:
            ticks = scale.ticks(Fraction(window.amount), window.unit)
        return program.with_windows(ticks, NO_WINDOWS).window
    except FinerThanTick as error:
        raise RuleErrors([WindowFinerThanTick(str(error), span)]) from None
    except OutOfRange as error:
        raise RuleErrors([TimeTooLong(str(error), span)]) from None
