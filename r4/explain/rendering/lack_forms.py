"""What rules lack, as lines of text and as values for JSON; the same for RIF and DatalogMTL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias

from r4.explain.lacks import (
    BlockingFact,
    ConditionLack,
    GroupValue,
    Lacks,
    OperandLack,
    RuleLack,
)
from rete.drawing.export import Json
from rete.storage.interval_sets import EVER, CellInterval

SpanText: TypeAlias = Callable[[CellInterval], str]
"""Writes an interval of cells: ``from 4 to 6``, ``in [4,6)``."""
SpanJson: TypeAlias = Callable[[CellInterval], Json]

_TOGETHER: Final = "its conditions are not true together"
_GAPS: Final = 3
"""So many intervals are shown in text."""


def lack_lines(lacks: Lacks, span: SpanText, indent: str = "  ") -> Iterator[str]:
    """A line for each rule; below it, farther in, why conditions lack that others conclude."""
    for rule in lacks.rules:
        yield f"{indent}{rule_line(rule, span)}"
        for condition in rule.conditions:
            for fact in condition.blocking if not _is_alone(condition) else ():
                yield f"{indent}  {fact.text} {_origin(fact, span)}"
            if condition.because is not None:
                yield from lack_lines(condition.because, span, f"{indent}  ")
    if lacks.omitted:
        yield f"{indent}{_omission(lacks)}"


def rule_lines(lacks: Lacks, span: SpanText) -> list[str]:
    """The lines of the rules that could derive the fact itself, without those below them."""
    lines = [rule_line(rule, span) for rule in lacks.rules]
    return [*lines, _omission(lacks)] if lacks.omitted else lines


def _omission(lacks: Lacks) -> str:
    return f"and {lacks.omitted} other{'s' * (lacks.omitted > 1)}"


def rule_line(rule: RuleLack, span: SpanText) -> str:
    """``rule 1 from 4 to 5: there is no …``."""
    when = "" if rule.when is None else span(rule.when)
    head = " ".join(filter(None, (rule.name, when)))
    texts = dict.fromkeys(_condition(each, span) for each in rule.conditions)
    return f"{head}: {'; '.join(texts) or _TOGETHER}"


def _condition(lack: ConditionLack, span: SpanText) -> str:
    if _is_alone(lack):
        return f"{lack.text}, {_origin(lack.blocking[0], span)}"
    if any(group.count for group in lack.groups):
        return f"{lack.text}, as {' and '.join(map(_group, lack.groups))}"
    if lack.operand is None:
        return f"{lack.text}, but {', '.join(lack.others)}" if lack.others else lack.text
    return f"{lack.text}, as {_operand(lack.operand, span)}"


def _group(group: GroupValue) -> str:
    """``avg is 28.5 of 3 members: …``."""
    s = "s" if group.count > 1 else ""
    is_value = f"is {group.shown} of" if group.value else "has no value of"
    more = group.count - len(group.some)
    some = [*group.some, f"and {more} more"] if more else group.some
    return f"{group.name} {is_value} {group.count} member{s}: {', '.join(some)}"


def _operand(lack: OperandLack, span: SpanText) -> str:
    gaps = ", ".join(map(span, lack.gaps[:_GAPS]))
    more = ", and so on" if len(lack.gaps) > _GAPS else ""
    held = "" if lack.held is None else f"{lack.other} holds {span(lack.held)}, but "
    last = "" if lack.last is None else f", last held {span(lack.last)}"
    after = "" if lack.next is None else f", next holds {span(lack.next)}"
    return f"{held}{lack.what or 'that'} does not hold {gaps}{more}{last}{after}"


def _is_alone(lack: ConditionLack) -> bool:
    """Whether a negation forbids one fact, which the text of the condition names."""
    return len(lack.blocking) == 1 and lack.text == f"there is {lack.blocking[0].text}"


def _origin(fact: BlockingFact, span: SpanText) -> str:
    return fact.by if fact.when == EVER else f"{fact.by} {span(fact.when)}"


def lack_values(lacks: Lacks, span: SpanJson) -> list[Json]:
    """The same, with all fields."""
    return [_rule_value(rule, span) for rule in lacks.rules]


def _rule_value(rule: RuleLack, span: SpanJson) -> Json:
    value: dict[str, Json] = {"rule": rule.label} if rule.name else {}
    if rule.when is not None:
        value["when"] = span(rule.when)
    return value | {"conditions": [_condition_value(each, span) for each in rule.conditions]}


def _condition_value(lack: ConditionLack, span: SpanJson) -> Json:
    value: dict[str, Json] = {"condition": lack.text}
    if lack.operand is not None:
        value |= _operand_value(lack.operand, span)
    if lack.blocking:
        value["there"] = [_blocking_value(fact, span) for fact in lack.blocking]
    if lack.groups:
        value["groups"] = [_group_value(group) for group in lack.groups]
    if lack.others:
        value["others"] = list(lack.others)
    if lack.because is not None:
        value["because"] = lack_values(lack.because, span)
    return value


def _operand_value(lack: OperandLack, span: SpanJson) -> dict[str, Json]:
    value: dict[str, Json] = {"of": lack.what, "lacks": _spans(lack.gaps, span)}
    if lack.held is not None:
        value["holds"] = {"of": lack.other, "when": span(lack.held)}
    if lack.last is not None:
        value["last"] = span(lack.last)
    if lack.next is not None:
        value["next"] = span(lack.next)
    return value


def _blocking_value(fact: BlockingFact, span: SpanJson) -> Json:
    by: dict[str, Json] = {"elements": list(fact.elements)}
    if fact.rule is not None:
        by = {"rule": fact.rule}
    return {"fact": fact.text, "when": span(fact.when), **by}


def _group_value(group: GroupValue) -> Json:
    return {
        "operator": group.name,
        "group": list(group.group),
        "value": group.value or None,
        "members": group.count,
        "some": list(group.some),
    }


def _spans(cells: Iterable[CellInterval], span: SpanJson) -> Json:
    return [span(each) for each in cells]
