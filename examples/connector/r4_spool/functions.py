"""A function of rules: ``External(<urn:example:spool#fahrenheit>(?celsius))``."""

from __future__ import annotations

from decimal import Decimal


def fahrenheit(celsius: Decimal) -> Decimal:
    """A temperature in degrees Fahrenheit."""
    return Decimal(celsius) * 9 / 5 + 32
