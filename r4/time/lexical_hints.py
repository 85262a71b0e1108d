"""What a lexical form lacks that is nearly one of ``xsd:dateTime``."""

from __future__ import annotations

import re
from typing import Final

from rif.syntax.terms import XSD

_NEARLY: Final = re.compile(
    r'"(?P<day>[^" T]+)(?P<t>[ T])(?P<minute>[0-9]{2}:[0-9]{2})(?P<second>:[0-9.]+)?'
    rf'(?P<zone>Z|[+-][0-9:]+)?"(?P<type>(?:\^\^<{re.escape(XSD)}dateTime>)?)'
)


def lexical_hint(term: str) -> str:
    """What is the matter with a literal that is no stamp, as the end of a message; "": unknown."""
    found = _NEARLY.fullmatch(term)
    if found is None:
        return ""
    faults = []
    if not found["type"]:
        faults.append("it is a string: the datatype xsd:dateTime is missing")
    if found["t"] == " ":
        faults.append("a T stands between day and time")
    if not found["second"]:
        faults.append("seconds are missing")
    return f"; {', and '.join(faults)}" if faults else ""
