"""XSD and RDF datatypes: lexical form, canonical form, value space, arithmetic."""
