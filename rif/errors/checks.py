"""The document is not well-formed, ``RIF2xx``, or a rule is not safe, ``RIF3xx``."""

from __future__ import annotations

from typing import ClassVar

from rif.errors.base import RuleError, Severity
from rif.errors.dialect import AGGREGATE_FORM


class UndeclaredVariable(RuleError):
    """A clause has a free variable that no Forall declares."""

    code = "RIF201"
    default_hint = "add it to the Forall"


class VariableTwice(RuleError):
    """A quantifier has the same name twice."""

    code = "RIF202"
    default_hint = "name it once"


class RoleClash(RuleError):
    """A constant stands in two contexts [RIF-Core 2.2, well-formed formulas]."""

    code = "RIF203"
    default_hint = "a constant is an individual, a predicate, or an external, in all of a document"


class UnknownBuiltin(RuleError):
    """External calls something that is no built-in [RIF-DTB 3]."""

    code = "RIF204"
    default_hint = "External takes the functions func:… and predicates pred:… of RIF-DTB"


class WrongArity(RuleError):
    """A built-in has the wrong number of arguments."""

    code = "RIF205"
    default_hint = "RIF-DTB says how many it takes"


class UnsupportedBuiltin(RuleError):
    """R4 does not evaluate this built-in of RIF-DTB."""

    code = "RIF206"
    default_hint = "docs/reference-rif.md lists those that are"


class BuiltinOutsideExternal(RuleError):
    """The name of a built-in is used as an ordinary predicate."""

    code = "RIF207"
    default_hint = "write External( … ) around it"


class WrongKindOfBuiltin(RuleError):
    """A built-in function stands as a formula, or a built-in predicate as a term."""

    code = "RIF208"
    default_hint = "functions stand in terms, predicates are conditions"


class TooManyDisjuncts(RuleError):
    """The disjunctive normal form of a body is too large."""

    code = "RIF209"
    default_hint = "give the disjunctions predicates of their own, with one rule per disjunct"


class NotOfRif(RuleError):
    """RIF has no such predicate in its namespace, or none with these arguments."""

    code = "RIF210"
    default_severity: ClassVar[Severity] = "warning"
    default_hint = (
        "rif:error() says that the state is inconsistent; this is a predicate like others"
    )


class BadRegularExpression(RuleError):
    """A constant pattern, or its flags or replacement, is not in the language of XPath."""

    code = "RIF211"
    default_hint = "patterns are those of XPath: a special character is written with a backslash"


class RegularExpressionNotLinear(RuleError):
    """A constant pattern has no automaton of bounded size."""

    code = "RIF212"
    default_hint = "spell out what a back-reference repeats; take + for a great number of times"


class BadAggregate(RuleError):
    """An aggregate lacks a part, or has one that it does not take."""

    code = "RIF213"
    default_hint = AGGREGATE_FORM


class LocalVariableOutside(RuleError):
    """A variable of the condition of an aggregate, which does not group, occurs outside of it.

    There it would be another variable: what is in the braces is of the aggregate alone.
    """

    code = "RIF214"
    default_hint = "put it into the square brackets if it groups, else give it another name"


class NotAFact(RuleError):
    """At, From and Ended stand over something else than an atom, a frame or a membership."""

    code = "RIF215"
    default_hint = "give what it is about a predicate of its own, in another rule"


class BadCalendar(RuleError):
    """A calendar has a period, an offset or a zone that is none."""

    code = "RIF216"
    default_hint = 'write Every 1 d offset 8 h zone "Europe/Berlin" at ?t'


class UnboundRangeEnd(RuleError):
    """The right end of a range is a variable that static data do not bind beside the range.

    The values that facts of the data give it must be known before the first stamp comes.
    """

    code = "RIF217"
    default_hint = (
        "ask for it beside the operator, as in ?s[ex:timeout -> ?d], with a predicate that no rule"
        " derives"
    )


class UnsafeVariable(RuleError):
    """A variable of the head is not bound in the body [RIF-Core 6.1]."""

    code = "RIF301"
    default_hint = "bind it in an atom, a frame, or an equality with a bound term"


class UnboundVariable(RuleError):
    """Nothing binds a variable of the body [RIF-Core 6.1]."""

    code = "RIF302"
    default_hint = "bind it in an atom, a frame, or an equality with a bound term"


class VariableInFact(RuleError):
    """A fact has a variable [RIF-Core 6.1]."""

    code = "RIF303"
    default_hint = "a fact has no variables; give it a body that binds them"


class NotStronglySafe(RuleError):
    """Values may be computed through a cycle of rules without end [RIF-Core 6.2]."""

    code = "RIF304"
    default_severity: ClassVar[Severity] = "warning"
    default_hint = "forward chaining may not end; bound the value in the body"


class BoundOutside(RuleError):
    """A variable under an operator is bound only outside of it."""

    code = "RIF305"
    default_hint = "what stands under it is evaluated by itself, at other times: bind it there too"
