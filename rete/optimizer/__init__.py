"""From conjunctions to plans.

order.py    in which order to join, and what to project away
"""
