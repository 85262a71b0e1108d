"""RIF documents, their text, what they exercise"""
