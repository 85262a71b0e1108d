"""Answers piped into another run, compared with both documents as one program."""

from __future__ import annotations

import json
import math
import re
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import pyoxigraph as ox

from rif.syntax.ast import Document, Group
from tests.generators.rules.documents import PREFIXES
from tests.generators.rules.parsers import parse
from tests.generators.streams.metric_runs import random_metric_case
from tests.generators.streams.runs import RunCase, random_case
from tests.generators.vocabulary import EX
from tests.oracles.metric.dependencies import is_metric
from tests.oracles.metric.streams import expected as metric_expected
from tests.oracles.rules.formulas import TooBig
from tests.oracles.rules.strata import NotStratified
from tests.oracles.streams.run import expected
from tests.simulation.command import call, run, small_batches
from tests.simulation.stream_comparison import cut_of

COPY = "?x[ex:b1 -> ?y] :- ?x[ex:{P} -> ?y]"
PLAIN = (
    COPY,
    "?x[ex:b2 -> ?y] :- And(?x[ex:{P} -> ?y] ?z[ex:{Q} -> ?y])",
    "?x[ex:b2 -> ?z] :- And(?x[ex:{P} -> ?y] ?x[ex:{Q} -> ?z])",
    "?x[ex:b3 -> ?y] :- ?x[ex:b1 -> ?y]",
    "?x[ex:b3 -> ?z] :- And(?x[ex:b1 -> ?y] ?x[ex:b3 -> ?z] ?w[ex:b3 -> ?y])",
)
NEGATED = (*PLAIN, "?x[ex:b4 -> ?y] :- And(?x[ex:{P} -> ?y] Naf(?x[ex:{Q} -> ?y]))")
METRIC = (
    *PLAIN,
    "?x[ex:b5 -> ?y] :- DiamondMinus [1, 3] (?x[ex:{P} -> ?y])",
    "?x[ex:b5 -> ?y] :- BoxMinus [0, 2] (?x[ex:{P} -> ?y])",
    "?x[ex:b6 -> ?y] :- And(?x[ex:{P} -> ?y] DiamondPlus [0, 2] (?x[ex:{Q} -> ?z]))",
    "?x[ex:b6 -> ?y] :- Since [0, 4] (?x[ex:{P} -> ?y] ?x[ex:{Q} -> ?y])",
)
RULES = {"facts": NEGATED, "instances": PLAIN, "metric": METRIC}
_ANY_PREDICATE = re.compile(r"\[\s*(\(\*.*?\*\)\s*)*\?", re.DOTALL)
_BAD = re.compile(r"DAT(?!211)")
_BLANK = re.compile(r"(?<![^ (])_:d1_(?=d)")
SUFFIXES = {
    "jsonl": "jsonl",
    "nquads": "nq",
    "trig": "trig",
    "patch": "rdfp",
    "ndjsonld": "ndjsonld",
    "jsonld": "jsonld",
}
"""The forms that answers are piped in, and the suffixes of their files. R4 writes no JSON-LD that
is one document, so that is TriG, converted by pyoxigraph."""
HEADS = {f"<{EX}b{number}>" for number in range(1, 7)}


@dataclass(frozen=True, slots=True)
class PipedCase:
    """Two documents and the streams of the first.

    Attributes:
        first: the first document, with its streams and options.
        rules: those of the second document.
        cut: how many bytes of the pipe are read at once.
    """

    first: RunCase
    rules: tuple[str, ...]
    cut: int

    @property
    def second(self) -> str:
        """The second document."""
        return _document(self.rules)

    def one_program(self) -> Document:
        """Both documents as one."""
        document = self.first.scenario.document
        more = parse(self.second).document.group
        assert more is not None
        own = () if document.group is None else document.group.items
        return replace(document, group=Group((*own, *more.items)))


def piped_case(seed: int, kind: str, *, drains: bool = True) -> PipedCase:
    """The case of a seed: about ``facts``, ``instances`` or ``metric`` rules of the second."""
    random = Random(seed)  # noqa: S311 - not for secrets
    first = _first_of_metric(seed, random) if kind == "metric" else random_case(seed)
    scenario = replace(
        *(first.scenario,),
        semantics="instances" if kind == "instances" else "facts",
        drain=math.inf if drains else None,
        streams_first=True,
    )
    rules = (COPY, *random.choices(RULES[kind], k=random.randint(1, 5)))
    return PipedCase(replace(first, scenario=scenario), _named(rules, random), cut_of(seed))


def _first_of_metric(seed: int, random: Random) -> RunCase:
    """A first document without operators, as the oracle of these computes no terms.

    It has a window: an answer has its ticks alone, so an operator sees the same in both only if
    facts do not change between ticks, as those that hold at their instant would.
    """
    case = random_metric_case(seed)
    rules = _named(random.choices(PLAIN, k=random.randint(1, 4)), random)
    text = re.sub(r"ex:b(\d)", lambda found: f"ex:{'tuv'[int(found[1]) - 1]}", _document(rules))
    document = parse(text).document
    scenario = replace(case.scenario, document=document, metric=False, window=random.randint(1, 6))
    return replace(case, scenario=scenario, rules=text)


def _named(rules: Sequence[str], random: Random) -> tuple[str, ...]:
    """The rules with predicates of the vocabulary in their bodies."""
    words = "pqrtuv"
    return tuple(
        rule.replace("{P}", random.choice(words)).replace("{Q}", random.choice(words))
        for rule in rules
    )


def _document(rules: Sequence[str]) -> str:
    names = " ".join(f"Prefix({name} <{iri}>)" for name, iri in PREFIXES)
    written = " ".join(f"Forall ?x ?y ?z ?w ({rule})" for rule in rules)
    return f"Document({names} Group({written}))"


def difference(
    case: PipedCase, folder: Path, *, early: bool = False, form: str = "jsonl"
) -> tuple[str, Counter[str]]:
    """How the answers of the pipe differ from those of one program; "" if they do not.

    With ``early`` results of the first run are piped as they come, those that are undone too. They
    have a ``form`` of `SUFFIXES`. Also what the case exercises. There is no difference where the
    oracle gives up, or answers are no RDF and the form is.
    """
    scenario = case.first.scenario
    if _ANY_PREDICATE.search(case.first.rules):  # it would see what the second document derives
        return "", Counter(skipped=1)
    try:
        document = case.one_program()
        wanted_of = metric_expected if is_metric(document) else expected
        outcome = wanted_of(replace(scenario, document=document, metric=is_metric(document)))
    except (TooBig, NotStratified):
        return "", Counter(skipped=1)
    first = run(
        case.first, folder, "--include-input", "--quiet", *(["--order", "arrival"] if early else [])
    )
    piped = first
    if form != "jsonl":
        written = "trig" if form == "jsonld" else form
        piped = run(case.first, folder, "--include-input", "--quiet", "--as", written)
        if "no RDF" in piped.err:
            return "", Counter(skipped=1)
    path = folder / f"a.{SUFFIXES[form]}"
    text = piped.out
    if form == "jsonld":
        quads = ox.parse(text, ox.RdfFormat.TRIG)
        text = (ox.serialize(quads, format=ox.RdfFormat.JSON_LD) or b"").decode()
    path.write_text(text, "utf-8")
    (folder / "b.rif").write_text(case.second, "utf-8")
    options = ["--semantics", scenario.semantics]
    if early:
        options += ["--delay", "1000"]
    if scenario.drain is not None:
        options.append("--drain")
    with small_batches(case.cut):
        second = call(["run", str(folder / "b.rif"), str(path), *options, "--quiet"])
    stamps = (json.loads(line)["at"] for line in first.lines())
    last = max((_in_order(at) for at in stamps if at is not None), default=None)
    wanted = _about_second(outcome.lines, last if scenario.drain is None else None)
    printed = _about_second(second.lines(), None)
    features = Counter(
        answers=int(bool(wanted)),
        undone=first.out.count('"undone":true'),
        endings=int(any('"op": "-"' in line for line in wanted)),
        runs=1,
    )
    if (first.code, second.code) == (0, 0) and wanted == printed and not _BAD.search(second.err):
        return "", features
    lines = [
        *(f"missing {line}" for line in wanted if line not in printed),
        *(f"too many {line}" for line in printed if line not in wanted),
    ]
    parts = [str(case.first), case.second, piped.out, second.err, first.err, *lines]
    return "\n".join(parts), features


def _in_order(at: Any) -> Any:
    """A stamp as it compares: of dates a whole second comes before its parts."""
    return at.removesuffix("Z") if isinstance(at, str) else at


def _about_second(lines: list[str], last: Any) -> list[str]:
    """The lines about what the second document derives, up to ``last``, without their rules.

    Blank nodes have the names that they have in the second run.
    """
    found = []
    for line in lines:
        read = json.loads(line)
        at = read["at"]
        if read.get("p") in HEADS and (last is None or at is None or _in_order(at) <= last):
            del read["rule"]
            for place in "spo":
                read[place] = _BLANK.sub("_:", read[place])
            found.append(json.dumps(read))
    return sorted(found)


def compare(
    count: int, first: int, kind: str, *, early: bool = False, form: str = "jsonl"
) -> tuple[Counter[str], dict[int, str]]:
    """Features and differences of ``count`` cases by seed."""
    features: Counter[str] = Counter()
    faults: dict[int, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            case = piped_case(seed, kind, drains=seed % 3 > 0)
            fault, found = difference(case, Path(folder), early=early, form=form)
            features += found
            if fault:
                faults[seed] = fault
    return features, faults
