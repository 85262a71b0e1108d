"""possible answers of RIF rules: worlds, derivations, certainty, confidence"""
