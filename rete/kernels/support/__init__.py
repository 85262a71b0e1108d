"""Kernels that find which facts of a recursive component still have a derivation.

| module | what is in it |
|---|---|
| `pure_search` | which facts have a derivation below a level |
| `pure_suspects` | the suspects of one table, and the searches that concern it |
| `pure_levels` | which facts of a recursive component still follow, level by level |
"""
