"""The language of rule documents: which kinds of formula and which built-ins it has.

``CORE.with_kinds(LATELY).with_builtins(DISTANCE)`` is RIF-Core with negation, one more kind of
formula, and one more built-in. Parsers, checks, writers and lowering take a language as an
argument; nothing is added to one that exists.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias, cast

from rif.builtins import BUILTINS, DTB, Builtin
from rif.builtins.signatures import UnavailableBuiltin
from rif.syntax.ast import Formula
from rif.syntax.formula_kinds import FormulaKind
from rif.syntax.lexical import RESERVED_WORDS
from rif.syntax.negation import NAF

AnyKind: TypeAlias = FormulaKind[Any]


@dataclass(frozen=True, eq=False)
class Language:
    """Kinds of formula beside those of RIF-Core, and built-ins. Two are equal if they are one.

    Attributes:
        kinds: One row a keyword.
        builtins: IRI of a built-in to what it does.
        numbers_by_value: Whether numbers in conditions stand for their values, not their terms.
        strict: Whether texts must be plain RIF, without shorthand.
        by_keyword: The kinds by the word that they begin with.
    """

    kinds: tuple[AnyKind, ...] = ()
    builtins: Mapping[str, Builtin] = field(default_factory=lambda: BUILTINS, repr=False)
    numbers_by_value: bool = False
    strict: bool = False
    by_keyword: Mapping[str, AnyKind] = field(init=False, repr=False)
    _by_node: Mapping[type[Formula], AnyKind] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        by_keyword: dict[str, AnyKind] = {}
        by_node: dict[type[Formula], AnyKind] = {}
        for kind in self.kinds:
            word, node = kind.keyword, kind.node
            if word in RESERVED_WORDS or word in by_keyword or node in by_node:
                message = f"{word} or {node.__name__} is a kind of formula already"
                raise ValueError(message)
            by_keyword[word] = by_node[node] = kind
        object.__setattr__(self, "by_keyword", by_keyword)
        object.__setattr__(self, "_by_node", by_node)

    def with_kinds(self, *kinds: AnyKind) -> Language:
        """The language with more kinds of formula.

        Raises:
            ValueError: A keyword or a class is taken.
        """
        return replace(self, kinds=(*self.kinds, *kinds))

    def with_builtins(self, builtins: Iterable[Builtin]) -> Language:
        """The language with more built-ins.

        Raises:
            ValueError: An IRI is that of another built-in, of RIF-DTB or R4.
        """
        added = {builtin.name: builtin for builtin in builtins}
        for name in added:
            if name in DTB or name in BUILTINS:
                message = f"<{name}> is a built-in already"
                raise ValueError(message)
        # Joined, not copied: a table may load what it has when it is asked for it.
        return replace(self, builtins=ChainMap(added, cast("dict[str, Builtin]", self.builtins)))

    def with_numbers(self, *, by_value: bool) -> Language:
        """The language in whose conditions numbers stand for their values, or for their terms."""
        same = self.numbers_by_value == by_value
        return self if same else replace(self, numbers_by_value=by_value)

    def with_syntax(self, *, strict: bool) -> Language:
        """The language whose texts must be plain RIF, or may have shorthand."""
        return self if self.strict == strict else replace(self, strict=strict)

    def patterns_of(self, iri: str) -> tuple[str, ...]:
        """The binding patterns of a built-in (`Builtin`); none if none has this IRI."""
        try:
            found = self.builtins.get(iri)
        except UnavailableBuiltin:  # a fault that the check of well-formedness reports
            found = None
        return () if found is None else found.patterns

    def has(self, node: type[Formula]) -> bool:
        """Whether it has this kind of formula beside those of RIF-Core."""
        return node in self._by_node

    def kind_of(self, formula: Formula) -> AnyKind:
        """The kind of a formula that RIF-Core does not have.

        Raises:
            ValueError: The language does not have it.
        """
        try:
            return self._by_node[type(formula)]
        except KeyError:
            message = f"{type(formula).__name__} is no kind of formula of this language"
            raise ValueError(message) from None


CORE: Final = Language((NAF,))
"""RIF-Core with negation and the built-ins of RIF-DTB and R4."""
