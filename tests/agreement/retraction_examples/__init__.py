"""retraction in stories that are written by hand, compared step by step"""
