"""RIF/XML: bytes, entities, elements, their readers, and the writer."""
