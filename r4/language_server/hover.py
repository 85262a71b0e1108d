"""What stands at an offset, described: a built-in, a keyword."""

from __future__ import annotations

from typing import NamedTuple

from r4.language_server.descriptions import arguments, docstring, keyword
from r4.language_server.rule_text import builtin, read_text
from rif.builtins import DTB
from rif.syntax.terms import IRI, display_name


class Hover(NamedTuple):
    """Markdown, and the offsets of begin and end of what it is about."""

    text: str
    begin: int
    end: int


def hover(text: str, offset: int) -> Hover | None:
    """What is known of the token at ``offset``; None: nothing."""
    rules = read_text(text)
    token = None if rules.is_comment(offset) else rules.token_at(offset)
    if token is None:
        return None
    value = rules.tokens.values[token]
    iri = rules.iri(token)
    if iri is not None:
        found = describe_builtin(iri)
    else:
        found = keyword(value) if rules.tokens.kinds[token] in {"name", "lang"} else None
    begin = rules.tokens.starts[token]
    return None if found is None else Hover(found, begin, begin + len(value))


def describe_builtin(iri: str) -> str | None:
    """Name, arguments and a line of a built-in, in Markdown; None: there is none.

    >>> print(describe_builtin("http://www.w3.org/2007/rif-builtin-predicate#iri-string"))
    `pred:iri-string`: predicate, arguments: 2, finds: (bu), (ub)
    <BLANKLINE>
    Is `text` the text of the IRI?
    """
    name = display_name(IRI(iri))
    found = builtin(iri)
    if found is None:
        known = DTB.get(iri)
        if known is None:
            return None
        return f"`{name}`: {known.kind}, arguments: {arguments(known)}; it is not evaluated"
    head = f"`{name}`: {found.kind}, arguments: {arguments(found)}"
    if found.patterns:
        head += f", finds: {', '.join(f'({pattern})' for pattern in found.patterns)}"
    return "\n\n".join(filter(None, (head, docstring(found.evaluate))))
