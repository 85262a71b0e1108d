"""Aggregates of random conditions."""

from __future__ import annotations

from dataclasses import replace

from rif.syntax.aggregates import OF_SOME, Aggregate, AggregateEqual
from rif.syntax.ast import And, Formula, Or
from rif.syntax.negation import Naf
from rif.syntax.terms import Variable
from temporal.metric_rif.events import At, Ended, From
from temporal.mtl.ast import BoxMinus, BoxPlus, DiamondMinus
from tests.generators.events.parts import Parts, exists, frame, var
from tests.oracles.events.scopes import renamed


class Aggregates(Parts):
    """Draws the aggregates of one rule."""

    def aggregate(self) -> Aggregate:
        draw = self.draw
        function = draw.weighted(
            (22, "count"),
            (16, "sum"),
            (12, "avg"),
            (8, "min"),
            (8, "max"),
            (6, "median"),
            (6, "quantile"),
            (5, "stddev"),
            (7, "list"),
            (6, "last"),
            (4, "first"),
        )
        share = draw.choice(("0.5", "1", "0.95", "0.25")) if function == "quantile" else ""
        part = ""
        if function in OF_SOME and draw.chance(14):
            part = draw.choice(("last", "first"))
        size = (
            draw.integer(1, 3)
            if part or (function in {"first", "last"} and draw.chance(50))
            else None
        )
        body, others = self.condition()
        value = "v"
        group = [name for name in others if draw.chance(70)]
        left = [name for name in others if name not in group]
        order = None
        if part or function in {"first", "last"} or (function == "list" and draw.chance(50)):
            times = [name for name in left if name in {"t", "f"}]
            order = times[0] if times else draw.choice([*left, "v"])
        if function == "count" and left and draw.chance(20):
            value = draw.choice(left)
        self.count += 1
        own = {name: f"{name}{self.count}" for name in left if name not in {value, order}}
        return Aggregate(
            function,
            Variable(value),
            renamed(body, own),
            tuple(map(var, group)),
            None if order is None else Variable(order),
            share,
            part,
            size,
        )

    def another(self, found: Aggregate) -> Aggregate:
        """Another function of the same members, where there is one."""
        if found.function in OF_SOME and found.function != "quantile" and found.order is None:
            return replace(found, function=self.draw.choice(("min", "max", "sum", "avg")))
        return found

    def condition(self) -> tuple[Formula, list[str]]:
        """What an aggregate is of: binds v and other names, which may group."""
        draw = self.draw
        plain = self.pattern("s", "v")
        kind = draw.weighted(
            (24, "plain"),
            (14, "timed"),
            (18, "past"),
            (10, "joined"),
            (7, "or"),
            (7, "without"),
            (6, "distinct"),
            (5, "nested"),
            (4, "box"),
            (5, "ended"),
            (5, "from"),
        )
        timed, names = (At(plain, var("t")), ["s", "t"]) if draw.chance(60) else (plain, ["s"])
        match kind:
            case "from":
                return From(plain, var("g")), ["s", "g"]
            case "timed":
                return At(plain, var("t")), ["s", "t"]
            case "past":
                return DiamondMinus(self.range(), timed), names
            case "joined":
                return And((plain, self.pattern("s", "g"))), ["s", "g"]
            case "ended":
                return Ended(plain, var("f"), var("u")), ["s", "f", "u"]
        return self.of_subject(kind, plain), ["s"]

    def of_subject(self, kind: str, plain: Formula) -> Formula:
        """One that binds v and s."""
        draw = self.draw
        match kind:
            case "or":
                return Or((plain, self.pattern("s", "v")))
            case "without":
                negated: Formula = exists("w", frame("s", self.key(), "w"))
                if draw.chance(50):
                    negated = DiamondMinus(self.range(), frame("s", self.key(), "v"))
                return And((plain, Naf(negated)))
            case "distinct":
                timed = exists("t", At(plain, var("t")))
                return timed if draw.chance(50) else DiamondMinus(self.range(), timed)
            case "nested":
                inner = Aggregate("count", Variable("w"), self.pattern("s", "w"), (var("s"),))
                return AggregateEqual(var("v"), inner)
            case "box":
                node = BoxPlus if self.ahead and draw.chance(50) else BoxMinus
                return node(self.range(infinite=False), plain)
        return plain
