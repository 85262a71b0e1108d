"""Possible answers of RIF rules over streams: what may become true, and on what evidence.

A rule that has some of its conditions met may have the others met later. Each choice of conditions
that are met becomes a further rule of the program, whose rows are evidence [CruzFilipe22,
Definitions 1-6]. An *entry* is a fact with the hypotheses that it waits for.

| room or file | what it is |
|---|---|
| `rewriting` | from rules to the rules that are added: resolution, units of arrival, shapes |
| `entries` | rows of evidence, the entries that they are of, and which of these are minimal |
| `reports` | from what became of facts to reports in columns, and to values |
| `tracker` | follows evidence and answers, and reports: supported, confirmed, withdrawn |
| `arrival_chances` | how late a unit may arrive, and how probable it is that it does |
| `errors` | why a rule is not followed, one class a code |
"""
