"""What differs between the lines that are expected of a run and those that came, in words.

    missing: + <urn:ex:lga> <urn:ex:alarm> "storm" from 2013-01-31T08:00:00Z
    same answer, but from 08:30:00Z instead of 08:00:00Z: + <urn:ex:jfk> <urn:ex:alarm> "storm"

An expected line of JSON without the key ``rule`` is one of any rule. Each costs time linear in the
lines.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from r4.testing.case import BadCase

_Line: TypeAlias = dict[str, object]
_Pair: TypeAlias = tuple[_Line, _Line]

_TRIPLE: Final = ("s", "p", "o")
_TIMES: Final = ("from", "until", "at")
_KEYS: Final = frozenset({"op", *_TRIPLE, *_TIMES, "atom", "error", "rule", "undone"})
"""The keys of a line that is put into words."""
_LABELS: Final = {"from": "from", "until": "until", "at": "told at", "rule": "by rule"}
"""The words for what the same answer may have otherwise."""
_LACKS: Final = {"from": "ever", "until": "no end", "at": "the beginning", "rule": "none"}
"""The words for null."""
_DAY: Final = len("2013-01-31T")


def text_differences(expected: Sequence[str], came: Sequence[str]) -> list[str]:
    """What differs between lines that are compared as they stand; none: nothing does."""
    if list(expected) == list(came):
        return []
    before, after = Counter(expected), Counter(came)
    found = [f"missing line: {line}" for line in (before - after).elements()]
    found += [f"unexpected line: {line}" for line in (after - before).elements()]
    return found or [_other_order(zip(expected, came, strict=True))]


def answer_differences(
    expected: Sequence[_Line], came: Sequence[_Line], term: Callable[[str], str] = str
) -> list[str]:
    """What differs between lines of answers; none: nothing does. ``term`` shortens a term."""
    if len(expected) == len(came) and all(map(_is_met, expected, came)):
        return []
    missing, unexpected = _unmatched(expected, came)
    if not missing and not unexpected:
        shown = [[_answer(line, term) for line in lines] for lines in (expected, came)]
        return [_other_order(zip(*shown, strict=True))]
    found = [
        f"same answer, but {_changes(*pair)}: {_answer(pair[0], term, timed=False)}"
        for pair in _pairs(missing, unexpected, _without(*_TIMES, "rule"))
    ]
    found += [
        f"another value, {_value(new, term)} instead of {_value(old, term)}: {_answer(old, term)}"
        for old, new in _pairs(missing, unexpected, _without("o", "rule"))
    ]
    found += [f"missing: {_answer(line, term)}" for line in missing]
    found += [f"unexpected: {_answer(line, term)}" for line in unexpected]
    return found


def read_answers(text: str, name: str) -> list[_Line]:
    """The lines of answers in a text; empty ones are left out. Raises `BadCase`."""
    found: list[_Line] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            message = f"{name}: line {number} is no JSON: {error}"
            raise BadCase(message) from None
        if not isinstance(value, dict):
            message = f"{name}: line {number} is no object of JSON"
            raise BadCase(message)
        found.append(value)
    return found


def _is_met(expected: _Line, came: _Line) -> bool:
    """Whether a line is the expected one; its rule counts if that is asked for."""
    return _text(expected) == _text(came if "rule" in expected else _without("rule")(came))


def _without(*keys: str) -> Callable[[_Line], _Line]:
    return lambda line: {key: value for key, value in line.items() if key not in keys}


def _text(line: _Line) -> str:
    return json.dumps(line, sort_keys=True)


def _unmatched(expected: Sequence[_Line], came: Sequence[_Line]) -> tuple[list[_Line], list[_Line]]:
    """The expected lines that did not come, and those that came besides.

    Lines that ask for a rule choose first.
    """
    exact = [line for line in expected if "rule" in line]
    loose = [line for line in expected if "rule" not in line]
    unexpected = list(came)
    for _ in _pairs(exact, unexpected, _without()):
        pass
    for _ in _pairs(loose, unexpected, _without("rule")):
        pass
    missing = {id(line) for line in (*exact, *loose)}
    return [line for line in expected if id(line) in missing], unexpected


def _pairs(
    missing: list[_Line], unexpected: list[_Line], key: Callable[[_Line], _Line]
) -> Iterator[_Pair]:
    """Take from both the lines of which ``key`` gives the same, as pairs in the order of the first.

    Those are left that have no partner, in their order.
    """
    by_key: defaultdict[str, list[int]] = defaultdict(list)
    for place in reversed(range(len(unexpected))):
        by_key[_text(key(unexpected[place]))].append(place)
    left: list[_Line] = []
    taken: set[int] = set()
    found: list[_Pair] = []
    for line in missing:
        if partners := by_key.get(_text(key(line))):
            taken.add(place := partners.pop())
            found.append((line, unexpected[place]))
        else:
            left.append(line)
    missing[:] = left
    unexpected[:] = [line for place, line in enumerate(unexpected) if place not in taken]
    yield from found


def _changes(old: _Line, new: _Line) -> str:
    """The times and the rule in which two lines of one answer differ."""
    found = []
    for key, label in _LABELS.items():
        if key not in old or old[key] == new.get(key) or (key == "at" and _follows(old, new)):
            continue
        was, now = (_LACKS[key] if line.get(key) is None else line[key] for line in (old, new))
        if isinstance(was, str) and isinstance(now, str) and was[:_DAY] == now[:_DAY]:
            was, now = was[_DAY:], now[_DAY:]
        found.append(f"{label} {now} instead of {was}")
    return ", ".join(found)


def _follows(old: _Line, new: _Line) -> bool:
    """Whether ``at`` is one of the other times in both lines, so that those say it."""
    return any(
        all(line.get("at") == line.get(key) for line in (old, new)) for key in ("from", "until")
    )


def _value(line: _Line, term: Callable[[str], str]) -> str:
    return term(str(line.get("o")))


def _answer(line: _Line, term: Callable[[str], str], *, timed: bool = True) -> str:
    """A line in words: what begins, ends or holds, and its times."""
    if not {"op", "at"} <= line.keys() <= _KEYS:
        return json.dumps(line, ensure_ascii=False)
    if line.keys() >= set(_TRIPLE):
        what = " ".join(term(str(line[key])) for key in _TRIPLE)
    else:
        what = str(line.get("atom", "error" if "error" in line else "nothing"))
    undone = ", undone" if line.get("undone") else ""
    return f"{line['op']} {what}{_when(line) if timed else ''}{undone}"


def _when(line: _Line) -> str:
    if line["at"] is None:
        return ", always"
    times = [f"{key} {line[key]}" for key in ("from", "until") if line.get(key) is not None]
    if line["at"] not in {line.get("from"), line.get("until")}:
        times.append(f"at {line['at']}")
    return f" {' '.join(times)}"


def _other_order(lines: Iterator[tuple[str, str]]) -> str:
    for number, (expected, came) in enumerate(lines, 1):
        if expected != came:
            return f"the same lines in another order: line {number} is {came}, expected {expected}"
    return "the same lines in another order"
