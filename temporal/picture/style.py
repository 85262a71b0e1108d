"""Colours of the picture, on light pages and on dark ones."""

from __future__ import annotations

from typing import Final

from rete.explain import style

STYLE: Final = (
    style.STYLE
    + """
.r{text-anchor:end}
.c{text-anchor:middle}
.grid{stroke:#e3e8ee}
.rule{stroke:#c3ccd7;fill:none}
.frame{stroke:#5d6877;fill:none;stroke-width:1.2}
.period{fill:#c99a2e;fill-opacity:.3}
.again{fill:#c99a2e;fill-opacity:.16}
.anew{fill:#c99a2e;fill-opacity:.08}
.turn{stroke:#b07d06;fill:none;stroke-dasharray:3 3}
.given{fill:#7d8999;stroke:#7d8999}
.derived{fill:#2c6fbb;stroke:#2c6fbb}
rect.given,rect.derived,path.given,path.derived{stroke:none}
.open{fill:#fff}
.dense{fill-opacity:.55}
.part{fill:#c4512a;font-size:12px;font-weight:bold}
@media (prefers-color-scheme:dark){
text,.title{fill:#e6edf3}
.sub,.legend,.n,.zone{fill:#aab6c4}
.page{fill:#0d1117;stroke:#30363d}
.grid{stroke:#222a33}
.rule{stroke:#3d4752}
.frame{stroke:#aab6c4}
.given{fill:#8e9aa9;stroke:#8e9aa9}
.derived{fill:#5aa2f0;stroke:#5aa2f0}
.open{fill:#0d1117}
.part{fill:#ff8f66}
}
""".rstrip()
)
