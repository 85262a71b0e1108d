"""Texts of computed numbers, in Python: as `rete.kernels.bags._numbers`, readable."""

from __future__ import annotations

from decimal import Decimal

from rif.values.datatypes import literal_of
from rif.values.decimals import EXACT, divide


def integer_text(number: int) -> str:
    """The canonical text of an integer."""
    return str(literal_of("integer", number))


def decimal_text(number: int, places: int) -> str:
    """The canonical text of the decimal that is so many 10^-places."""
    return str(literal_of("decimal", Decimal(number).scaleb(-places, EXACT)))


def quotient_text(number: int, places: int, divisor: int) -> str | None:
    """The canonical text of so many 10^-places over a divisor, as `divide` has it.

    The compiled twin gives None where it does not know it.
    """
    return str(literal_of("decimal", divide(Decimal(number).scaleb(-places, EXACT), divisor)))


def double_text(number: float) -> str:
    """The canonical text of a double."""
    return str(literal_of("double", number))
