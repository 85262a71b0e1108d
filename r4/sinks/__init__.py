"""Where answers go: one file a format.

jsonl.py    a JSON object a line
"""
