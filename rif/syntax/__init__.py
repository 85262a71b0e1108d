"""Abstract syntax: terms, the tree, walks over it, the table of formula kinds, normal forms."""
