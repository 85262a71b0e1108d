"""Errors of premises and conclusions: one class a code."""

from __future__ import annotations

from rif.errors.base import RuleError


class NoCondition(RuleError):
    """A conclusion has a rule in it: only facts and conditions can be asked for."""

    code = "R4111"
    default_hint = "ask for facts, or for a condition: And, Or, Exists, …"


class NegationAsked(RuleError):
    """A conclusion has a negation: what does not follow today may follow tomorrow."""

    code = "R4112"
    default_hint = "ask for what is negated, and take a no for an answer; or derive it by a rule"


class NoPremise(RuleError):
    """A condition stands where a premise is due."""

    code = "R4113"
    default_hint = "a premise is a graph or a document: Document( Group( fact … ) )"


class ImportAsked(RuleError):
    """A conclusion has an import, which is not read."""

    code = "R4115"
    default_hint = "write what is imported into the conclusion, or ask for each document"
