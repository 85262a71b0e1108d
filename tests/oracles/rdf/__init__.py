"""values of literals; RDFS and OWL 2 RL as their tables"""
