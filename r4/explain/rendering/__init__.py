"""Explanations as text, JSON and SVG, in the names and words of the rules.

| file | what it is |
|---|---|
| `text` | an explanation as lines for a terminal |
| `json_output` | an explanation as one JSON object |
| `tree_writer` | a proof tree as lines and as values for JSON, in RIF and in DatalogMTL |
| `picture` | an explanation as an SVG document |
| `grouping` | which nodes are shown together, and which are left out |
| `lack_forms` | what rules lack, as lines and as values for JSON, in RIF and in DatalogMTL |
| `phrases` | times, origins, ends and absent facts in words |
| `condition_text` | conditions in the words of the rules, with the values they are true of |
| `names` | terms, rules and facts as the rules write them; a word or two on rules of regimes |
| `prefixes` | prefixes for IRIs that the rules have none for |
"""
