"""Each module can be imported: pytest itself imports those with doctests, and what tests need."""

from __future__ import annotations

from importlib import import_module

from tests.paths import ROOT

PACKAGES = ("rif", "rete", "temporal", "r4", "bench")


def test_every_module_is_imported() -> None:
    paths = [path for package in PACKAGES for path in ROOT.glob(f"{package}/**/*.py")]
    names = [path.relative_to(ROOT).with_suffix("").parts for path in paths]
    imported = [
        import_module(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
        for parts in names
        if parts[-1] != "__main__"
    ]
    assert len(imported) > 500
