"""small graphs in the words of OWL and RDFS, and rules above them"""
