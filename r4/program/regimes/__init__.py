"""Entailment regimes as rules: what a vocabulary means, in RIF-Core itself.

| file | what it is |
|---|---|
| `catalogue` | each regime by its name, whole or some of its rules |
| `background` | the rules of a run by its regime and the profile of its imports; their limits |

The texts are

- ``datatypes.rif``: what literals say about datatypes, for all regimes;
- ``rdf.rif``, ``rdfs.rif``: RDF and RDFS entailment [RDF11-MT];
- ``d.rif``: the datatypes of RIF-DTB, for the profile D of RIF imports [RIF-RDF-OWL];
- ``owl-rl.rif``: the rules of OWL 2 RL [OWL2-RL].
"""

from r4.program.regimes.catalogue import AUXILIARY, REGIMES, regime, rule_name, select

__all__ = ["AUXILIARY", "REGIMES", "regime", "rule_name", "select"]
