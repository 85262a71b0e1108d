"""Imports of rule documents: other rule documents, graphs and ontologies with profiles, streams.

`import_closure.load` follows the imports of a document and `graph_rows.load_graphs` reads the
graphs among them; what cannot be combined is rejected by either, with all its faults
[RIF-RDF-OWL 5.2].

| file | what it is |
|---|---|
| `locations` | from the location of an import to a file that may be read; ``IRI=FILE`` options |
| `import_closure` | all documents that a document imports, each once |
| `constant_scopes` | local constants kept apart; one role for each other constant |
| `profiles` | what an import may say of the meaning of a graph; which profile holds |
| `graph_documents` | format, statements and forbidden literals of an imported graph |
| `graph_rows` | all imported graphs as rows of ids |
| `owl_direct` | OWL Direct: DL form of rules, OWL 2 DL ontologies, triples that are no facts |
| `rdf_lists` | RDF lists as RIF lists, and the other way round |
| `errors` | what can be wrong with imports |

`separation.rif` has the rules by which a mixture of individuals and data values is inconsistent.
"""

from r4.imports.errors import ImportErrors
from r4.imports.graph_rows import GraphRows, judge_graphs, load_graphs
from r4.imports.import_closure import Closure, ImportedStream, load
from r4.imports.locations import Locations
from r4.imports.owl_direct import separation
from r4.imports.profiles import Profile

__all__ = [
    "Closure",
    "GraphRows",
    "ImportErrors",
    "ImportedStream",
    "Locations",
    "Profile",
    "judge_graphs",
    "load",
    "load_graphs",
    "separation",
]
