"""View maintenance: what is lost when facts are asserted no longer.

| module | what is in it |
|---|---|
| `view_maintenance` | decides for each node which deletion candidates it loses |
| `loss_propagation` | carries deletion candidates from node to node, and takes out what is lost |
| `support_levels` | recursive components: which suspects still follow, level by level |
| `suspects` | the suspects of a table, and facts that wait for their level |
| `suspect_flow` | which facts of a component may depend on given rows |
| `delete_rederive` | Delete/Rederive, for recursive components without levels |
| `derivation_search` | one derivation of each fact that stands, and no more |
| `derivability` | the same asked of a kernel, by programs |
| `proof_programs` | writes the bodies of rules as programs for that kernel |
| `dependents` | programs that lead from a fact to the facts that may depend on it |
| `rule_bodies` | the bodies of rules as atoms over variables |
| `subsumption` | the rules of a table without those that a more general one covers |
| `missing_constants` | constants that no row has, so that no program is written for them |
"""
