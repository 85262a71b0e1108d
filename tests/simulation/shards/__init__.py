"""Shards against the single network: ``python -m tests.simulation.shards [COUNT [FIRST]]``.

| file | what it is |
|---|---|
| `cases` | the mix of cases: runs of text, and stories in which things are taken back |
| `scattering` | places chosen at random: whatever they are, the answers are the same |
| `running` | a case of text, run by ``r4 run`` as it is, and over shards |
| `telling` | a story, told to one network, and to shards |
| `seeds` | many cases by seed, with what they exercise |
| `faults`, `planting` | small mistakes, and after how many cases each is noticed |
"""
