"""Does a premise entail a conclusion; the closure of graphs"""
