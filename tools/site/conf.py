"""The documentation site: `make docs` builds it with Sphinx, and a warning ends the build.

The project itself is the source folder, so that a document has the same place and the same links on
the site, on a Git host and on disk. A page that is not in the navigation, `CONTENTS`, is a fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click
from sphinx.application import Sphinx

from r4 import __version__
from r4.cli import r4

CONTENTS: Final = """

```{toctree}
:hidden:
:caption: Use
docs/cookbook
docs/how-do-i-say-it
docs/testing
docs/python
docs/editors
editors/vscode/README
docs/tables
docs/formats
docs/connectors
docs/long-runs
docs/explain
docs/entailment
docs/mtl
docs/hypothetical
docs/loading
docs/shards
docs/spark
```

```{toctree}
:hidden:
:caption: Reference
docs/semantics
docs/options
docs/reference-rif
docs/errors
tools/site/command-line
tools/site/python
docs/limitations
docs/glossary
docs/references
CHANGELOG
```

```{toctree}
:hidden:
:caption: Measurements
docs/comparison
docs/report/report
docs/csrbench
docs/bench-closure
docs/bench-mtl
docs/bench-hypotheses
docs/bench-formats
docs/bench-retraction
docs/bench-aggregates
docs/bench-events
```

```{toctree}
:hidden:
:caption: Inside
docs/architecture
CONTRIBUTING
changelog.d/README
tests/README
SECURITY
docs/decisions/README
```
"""
DECISIONS: Final = """

```{toctree}
:hidden:
:glob:
[0-9]*
```
"""
BELOW: Final = {"README": CONTENTS, "docs/decisions/README": DECISIONS}
"""A page → what follows its text: the pages that stand below it in the navigation."""

_LINK: Final = re.compile(r"\[([^\[\]]*)\]\(([^)#:\s]+)\)")

project = "R4"
version = release = __version__
copyright = ""  # noqa: A001 - a name of Sphinx
root_doc = "README"
include_patterns = [
    "*.md",
    "docs/**.md",
    "*/README.md",
    "editors/vscode/README.md",
    "tools/site/*.md",
]
exclude_patterns = [".*", "build", "dist"]
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
default_role = "code"
smartquotes = False
highlight_language = "none"

# Anchors as Git hosts make them of headings.
myst_heading_anchors = 4

html_theme = "furo"
html_title = "R4"
html_extra_path = ["files"]
html_show_sphinx = html_show_copyright = html_copy_source = False

autodoc_member_order = "bysource"
autodoc_class_signature = "mixed"
autodoc_default_options = {"members": True, "show-inheritance": False}
python_maximum_signature_line_length = 88


def setup(app: Sphinx) -> None:
    """Change the text of pages before they are read."""
    app.connect("source-read", complete)


def complete(app: Sphinx, page: str, source: list[str]) -> None:
    """Append what stands below a page in the navigation, or what a command says of itself.

    A link to a folder becomes plain text: on a Git host it shows the files, here it is no page.
    """
    folder = Path(app.srcdir, page).parent
    text = _LINK.sub(lambda link: link[1] if (folder / link[2]).is_dir() else link[0], source[0])
    if page == "tools/site/command-line":
        text += "".join(command_help(r4, click.Context(r4, info_name="r4", **r4.context_settings)))
    source[0] = text + BELOW.get(page, "")


def command_help(command: click.Command, context: click.Context) -> Iterator[str]:
    """What ``--help`` prints of a command, and then of those below it, each under a heading."""
    depth = context.command_path.count(" ")
    yield f"\n{'#' * max(2, 1 + depth)} {context.command_path}\n"
    yield f"\n```\n{command.get_help(context)}\n```\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from command_help(below, click.Context(below, parent=context, info_name=name))
