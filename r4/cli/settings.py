"""``--master``, ``--conf``: where Spark runs, and with which settings."""

from __future__ import annotations

import click

from r4.spark.jobs.session import LOCAL

master_option = click.option(
    "--master", metavar="URL", default=LOCAL, show_default=True, help="Where Spark runs."
)


def settings_of(pairs: tuple[str, ...]) -> dict[str, str]:
    """The settings of Spark that ``--conf`` names.

    Raises:
        click.UsageError: one is none.
    """
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.startswith("spark."):
            message = f"--conf {pair}: write spark.NAME=VALUE"
            raise click.UsageError(message)
        found[name] = value
    return found
