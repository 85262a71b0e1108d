"""Event time of the workloads: milliseconds since an epoch of their own, as text and as number."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final

from r4.time.ticks import TimeScale

EPOCH: Final = datetime(2024, 1, 1, tzinfo=UTC)
"""The stamp of every stream's first element."""
STEP: Final = 10
"""Milliseconds from one element to the next."""


def milliseconds(window: str) -> int:
    """A window as a number of milliseconds; raises what `TimeScale.duration` does."""
    return TimeScale().duration(window)


@lru_cache(maxsize=4096)
def _second(seconds: int) -> str:
    return (EPOCH + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S")


def stamp(milliseconds: int) -> str:
    """The lexical form that streams carry: always three decimals, ``2024-01-01T00:00:00.010Z``."""
    seconds, rest = divmod(milliseconds, 1000)
    return f"{_second(seconds)}.{rest:03}Z"


def instant(milliseconds: int) -> str:
    """The same time as answers print it: without trailing zeros, ``2024-01-01T00:00:00.01Z``."""
    seconds, rest = divmod(milliseconds, 1000)
    return (
        f"{_second(seconds)}.{rest:03}".rstrip("0").rstrip(".") + "Z"
        if rest
        else f"{_second(seconds)}Z"
    )


RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS: Final = "http://www.w3.org/2000/01/rdf-schema#"
XSD: Final = "http://www.w3.org/2001/XMLSchema#"
OWL: Final = "http://www.w3.org/2002/07/owl#"
_PROV: Final = "http://www.w3.org/ns/prov#"

DC: Final = "http://purl.org/dc/elements/1.1/"
BSBM: Final = "http://www4.wiwiss.fu-berlin.de/bizer/bsbm/v01/vocabulary/"
BSBM_INST: Final = "http://www4.wiwiss.fu-berlin.de/bizer/bsbm/v01/instances/"
SSN: Final = "http://purl.oclc.org/NET/ssnx/ssn#"
SSN_EXT: Final = "http://www.semsorgrid4env.eu/ontologies/SsnExtension.owl#"
WEATHER: Final = "http://knoesis.wright.edu/ssw/ont/weather.owl#"
YAGO: Final = "http://dbpedia.org/class/yago/"
DBPEDIA: Final = "http://dbpedia.org/resource/"
DBPPROP: Final = "http://dbpedia.org/property/"
SENSORS: Final = "http://sensors.example/id/"

RDF_TYPE: Final = f"<{RDF}type>"
SUB_CLASS_OF: Final = f"<{RDFS}subClassOf>"
LABEL: Final = f"<{RDFS}label>"
SAME_AS: Final = f"<{OWL}sameAs>"
THING: Final = f"<{OWL}Thing>"
ANNOTATION_PROPERTY: Final = f"<{OWL}AnnotationProperty>"
DATATYPE: Final = f"<{RDFS}Datatype>"
GENERATED_AT: Final = f"<{_PROV}generatedAtTime>"

DATE: Final = f"<{XSD}date>"
DATE_TIME: Final = f"<{XSD}dateTime>"
DECIMAL: Final = f"<{XSD}decimal>"
INTEGER: Final = f"<{XSD}integer>"
STRING: Final = f"<{XSD}string>"
