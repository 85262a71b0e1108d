"""The document is not well-formed, ``RIF2xx``, or a rule is not safe, ``RIF3xx``."""

from __future__ import annotations

from typing import ClassVar

from rif.errors.base import RuleError, Severity


class UndeclaredVariable(RuleError):
    """A free variable of a clause that its Forall does not declare."""

    code = "RIF201"
    default_hint = "add it to the Forall"


class VariableTwice(RuleError):
    """The same name twice in one quantifier."""

    code = "RIF202"
    default_hint = "name it once"


class RoleClash(RuleError):
    """A constant in two contexts [RIF-Core 2.2, well-formed formulas]."""

    code = "RIF203"
    default_hint = "a constant is an individual, a predicate, or an external, in all of a document"


class UnknownBuiltin(RuleError):
    """External with a name that is no built-in [RIF-DTB 3]."""

    code = "RIF204"
    default_hint = "External takes the functions func:… and predicates pred:… of RIF-DTB"


class WrongArity(RuleError):
    """A built-in with the wrong number of arguments."""

    code = "RIF205"
    default_hint = "RIF-DTB says how many it takes"


class UnsupportedBuiltin(RuleError):
    """A built-in of RIF-DTB that is not evaluated here yet."""

    code = "RIF206"
    default_hint = "docs/reference-rif.md lists those that are"


class BuiltinOutsideExternal(RuleError):
    """The name of a built-in as an ordinary predicate."""

    code = "RIF207"
    default_hint = "write External( … ) around it"


class WrongKindOfBuiltin(RuleError):
    """A built-in function as a formula, or a built-in predicate as a term."""

    code = "RIF208"
    default_hint = "functions stand in terms, predicates are conditions"


class TooManyDisjuncts(RuleError):
    """A body whose disjunctive normal form is out of bounds."""

    code = "RIF209"
    default_hint = "give the disjunctions predicates of their own, with one rule per disjunct"


class NotOfRif(RuleError):
    """A predicate in the namespace of RIF that RIF does not have, or with other arguments."""

    code = "RIF210"
    default_severity: ClassVar[Severity] = "warning"
    default_hint = (
        "rif:error() says that the state is inconsistent; this is a predicate like others"
    )


class BadRegularExpression(RuleError):
    """A constant pattern, or what goes with it, that is not in the language of XPath."""

    code = "RIF211"
    default_hint = "patterns are those of XPath: a special character is written with a backslash"


class RegularExpressionNotLinear(RuleError):
    """A constant pattern that has no automaton of bounded size."""

    code = "RIF212"
    default_hint = "spell out what a back-reference repeats; take + for a great number of times"


class UnsafeVariable(RuleError):
    """A head variable that is not safe in the body [RIF-Core 6.1]."""

    code = "RIF301"
    default_hint = "bind it in an atom, a frame, or an equality with a bound term"


class UnboundVariable(RuleError):
    """A body variable that nothing binds [RIF-Core 6.1]."""

    code = "RIF302"
    default_hint = "bind it in an atom, a frame, or an equality with a bound term"


class VariableInFact(RuleError):
    """A fact that is not ground [RIF-Core 6.1]."""

    code = "RIF303"
    default_hint = "a fact has no variables; give it a body that binds them"


class NotStronglySafe(RuleError):
    """A cycle through which values may be computed without end [RIF-Core 6.2]."""

    code = "RIF304"
    default_severity: ClassVar[Severity] = "warning"
    default_hint = "forward chaining may not end; bound the value in the body"


class BoundOutside(RuleError):
    """A variable under an operator that is bound only outside of it."""

    code = "RIF305"
    default_hint = "what stands under it is evaluated by itself, at other times: bind it there too"
