"""Compare cases by seed on Spark; what they exercise, and where the lines differ."""

from __future__ import annotations

import sys

from r4.spark.jobs.session import session
from tests.generators.streams.profile import table, verdict
from tests.simulation.spark.session import compare


def main(count: str = "16", first: str = "0") -> int:
    """Print a profile, and the first disagreements; 1 if there are any."""
    with session("local[2]") as spark:
        features, failed = compare(spark, int(count), int(first))
    sys.stdout.write(table(features, features["case"]))
    return verdict(failed, f"{features['case']} cases from seed {first} on, on Spark")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
