"""The test files that a change can reach, for `make check`: ``python -m tools.reach [BASE]``.

Prints one path a line. Prints nothing, so that pytest runs all tests, where nothing differs, in CI,
without git, and after a change whose reach is not known, as of pyproject.toml.

What differs is compared with the merge base with ``main``, or with BASE; uncommitted and new files
count. A test file is reached if it imports, directly or not, a module that differs. Imports within
functions count, and so does a text that is the name of a module: `r4` loads its commands by such
names; within functions of a `conftest.py` they do not. What starts other processes may run any
module. What reads the tree of the project runs always. Files that are no modules:

| a change of | reaches |
|---|---|
| a file in a package: a kernel, rules, RDF | what imports the nearest package above it |
| a file in tests | what imports a module of its folder, or of the nearest one above that has some |
| `conftest.py` | the tests of its folder |
| documents, examples, editors | themselves, and the tests that read the tree |
| anything else | all tests |
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
TREE_READERS: Final = "tests.paths.ROOT"
"""Who imports this reads any file of the project."""
STARTERS: Final = frozenset({"subprocess", "multiprocessing"})
"""Who imports one of these may start `r4`."""
PROSE: Final = ("docs/", "examples/", "editors/", "changelog.d/")
EVERYTHING: Final = "*"
"""A node that imports all modules of all packages."""
DOCTEST: Final = ">>> "
_DOTTED: Final = re.compile(r"""["']([a-z]\w*(?:\.\w+)+)["']""")
"""A text that may be the name of a module."""


@dataclass(slots=True)
class Tree:
    """The modules of a project, and what imports what.

    A package stands there twice: as itself, for those who import it or its names, and as
    ``NAME.*`` for those who import a module below it. The latter lacks what it imports within
    functions, so that a package can offer names of its modules without importing them.

    Attributes:
        root: the folder of the project.
        modules: the path of each module by its name.
        imports: per module those that it imports.
        tests: the files that have tests, by their names: test modules, and texts with doctests.
    """

    root: Path
    modules: dict[str, Path] = field(default_factory=dict)
    imports: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    tests: dict[str, Path] = field(default_factory=dict)

    @classmethod
    def read(cls, root: Path = ROOT) -> Tree:
        """Parse all modules of the packages at the top of ``root``. Takes some seconds."""
        made = cls(root)
        tops = [path for path in root.iterdir() if (path / "__init__.py").exists()]
        tops += [root / "tools"]
        for top in tops:
            for path in top.rglob("*.py"):
                made.modules[_name(path.relative_to(root))] = path.relative_to(root)
        for name, path in made.modules.items():
            made._parse(name, path)
        for path in (*root.glob("*.md"), *root.glob("docs/*.md")):
            if DOCTEST in path.read_text("utf-8"):
                name = path.relative_to(root).as_posix()
                made.tests[name] = path.relative_to(root)
                made.imports[name] = {"r4"}
        made.imports[EVERYTHING] = {
            name for name in made.modules if not name.startswith(("tests.", "tools."))
        }
        return made

    def _parse(self, name: str, path: Path) -> None:
        text = (self.root / path).read_text("utf-8")
        is_package, is_test = path.name == "__init__.py", path.name.startswith("test_")
        if is_test or (DOCTEST in text and not name.startswith(("tests", "tools"))):
            self.tests[name] = path
        eager, lazy = set[str](), set[str]()
        for node, within in _imports(ast.parse(text).body):
            (lazy if within else eager).update(self._imported(node, name, is_package=is_package))
        for named in _DOTTED.findall(text):
            if named in self.modules:
                eager.update(self._module(named))
        if "import_module(f" in text:
            lazy.update(each for each in self.modules if each.startswith(f"{name}."))
        eager.update(each for each in self._module(name) if each != name)
        self.imports[name] = eager if path.name == "conftest.py" else eager | lazy
        if is_package:
            self.imports[f"{name}.*"] = eager
            self.imports[name].add(f"{name}.*")
        if name.startswith("tests."):
            folders = [path.parent, *path.parents]
            conftests = (_name(each / "conftest.py") for each in folders if each.parts)
            self.imports[name].update(each for each in conftests if each in self.modules)
            if STARTERS & self.imports[name]:
                self.imports[name].add(EVERYTHING)

    def _imported(
        self, node: ast.Import | ast.ImportFrom, name: str, *, is_package: bool
    ) -> Iterator[str]:
        """The modules that an import names."""
        if isinstance(node, ast.Import):
            for each in node.names:
                yield from self._module(each.name)
            return
        base = node.module or ""
        if node.level:
            above = name.split(".")
            above = above[: len(above) - node.level + is_package]
            base = ".".join([*above, *([base] if base else [])])
        for each in node.names:
            yield from self._module(base, each.name)

    def _module(self, name: str, part: str = "") -> Iterator[str]:
        """A module and the packages above it, or ``part`` of it, which may be a module."""
        inner = f"{name}.{part}"
        if inner == TREE_READERS:
            yield inner
        full = inner if part and inner in self.modules else name
        if full not in self.modules:
            if full in STARTERS:
                yield full
            # A module that is gone: whoever knows the package above it is asked.
            while full and full not in self.modules:
                full = full.rpartition(".")[0]
        if full:
            yield full
            above = full.rpartition(".")[0]
            while above:
                yield f"{above}.*"
                above = above.rpartition(".")[0]

    def changed(self, paths: Iterable[str]) -> set[str] | None:
        """The nodes that differ where files do; None: it is not known which."""
        found = set[str]()
        for path in map(Path, paths):
            name = _name(path) if path.suffix == ".py" else ""
            if path.as_posix() == "tests/conftest.py":
                return None
            if name in self.modules:
                found |= self._both(name)
            elif path.parts[0] == "tests":
                found |= self._of_folder(path.parent)
            elif path.as_posix() in self.tests:
                found.add(path.as_posix())
            elif (package := self._package_above(path)) is not None:
                found |= self._both(package)
            elif not (path.as_posix().startswith(PROSE) or path.suffix == ".md"):
                return None
        return found

    def _both(self, name: str) -> set[str]:
        return {name, f"{name}.*"} if f"{name}.*" in self.imports else {name}

    def _package_above(self, path: Path) -> str | None:
        for folder in path.parents:
            name = _name(folder / "__init__.py")
            if folder.parts and folder.parts[0] != "tools" and name in self.modules:
                return name
        return None

    def _of_folder(self, folder: Path) -> set[str]:
        """The modules of a folder of tests, or of the nearest above it that has any."""
        while folder.parts:
            found = {name for name, path in self.modules.items() if path.parent == folder}
            if found:
                return found if len(folder.parts) > 1 else set()
            folder = folder.parent
        return set()

    def reached(self, changed: set[str]) -> set[Path]:
        """The files of tests that import a node that differs, and those that always run."""
        importers = defaultdict[str, set[str]](set)
        for name, imported in self.imports.items():
            for each in imported:
                importers[each].add(name)
        found, waiting = set[str](), [*changed, TREE_READERS]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += importers[name]
        return {path for name, path in self.tests.items() if name in found}


def _name(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports(
    body: Iterable[ast.AST], *, within: bool = False
) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    """All imports, each with whether it is in a function, or for types alone."""
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node, within
        else:
            inside = within or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            if isinstance(node, ast.If) and isinstance(node.test, ast.Name):
                inside |= node.test.id == "TYPE_CHECKING"
            for part in ("body", "orelse", "finalbody", "handlers", "cases"):
                inner = getattr(node, part, None)
                if isinstance(inner, list):
                    yield from _imports(inner, within=inside)


def _git(*args: str) -> list[str]:
    """The lines that git prints; an error of git is raised."""
    command = ["git", *args]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def differing(base: str | None) -> list[str]:
    """The paths of files that differ from ``base``, or from the merge base with main."""
    if base is None:
        base = _git("merge-base", "HEAD", "main")[0]
    return [
        *_git("diff", "--name-only", "--no-renames", base),
        *_git("ls-files", "--others", "--exclude-standard"),
    ]


def main(base: str | None = None) -> None:
    """Print the test files that the change of the working tree reaches."""
    if os.environ.get("CI", "").lower() in {"1", "true"}:
        return
    try:
        paths = differing(base)
    except (OSError, subprocess.CalledProcessError):
        paths = []
    if not paths:
        return
    tree = Tree.read()
    changed = tree.changed(paths)
    if changed is None:
        return
    reached = sorted(tree.reached(changed))
    said = f"{len(paths)} files differ: {len(reached)} of {len(tree.tests)} files of tests"
    print(f"{said} can notice; make test runs all", file=sys.stderr)
    print(*reached, sep="\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
