"""Retraction: what is lost when facts are asserted no longer.

The life of a doubtful fact:

1. A row that it was derived from is lost, or is asserted no longer. The fact lost a derivation: it
   becomes a *deletion candidate*, and waits until all that feeds its component is settled.
2. Outside of recursion its rules are then evaluated backwards, from its terms. If one of them
   derives it still, it stays. If not, the rows made of it become candidates, and it is removed.
3. In recursion, facts may derive each other in a circle. So each has a *level*, above those of the
   facts that it was derived from, and none is removed before all are decided. A kernel examines the
   candidates from the lowest level up. A fact with a derivation from lower levels stays.
4. A fact without one is a *suspect*. The facts derived from it at higher levels are examined, too.
5. A suspect that follows from settled facts is rederived: its level is now above theirs.
6. The suspects that are left in the end are removed. Rows made of them become candidates, as in 2.
7. The kernel follows programs. A derivation that holds only part of the time, or on a condition
   that no program has, is none to it; a suspect with one is *undecided*. Once it is removed, its
   rules are evaluated backwards, and what they derive is inserted again.
8. Where facts have no levels, a candidate is removed without an examination, and so is all that was
   derived from it (Delete/Rederive); then it is dealt with as in 7.

| module | what is in it |
|---|---|
| `view_maintenance` | decides for each node which deletion candidates it loses (2, 3, 6, 7) |
| `loss_propagation` | carries deletion candidates from node to node, takes out what is lost (1) |
| `support_levels` | which facts of a recursive component are suspects in the end (3 to 5) |
| `table_programs` | the programs of a table, loaded: what derives a fact, what may depend on it |
| `proof_programs` | writes the bodies of rules as programs, where their constants have come |
| `rule_bodies` | the bodies of rules as atoms over variables |
| `delete_rederive` | Delete/Rederive, for recursive components without levels (8) |
"""
