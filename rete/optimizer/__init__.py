"""From conjunctions to plans.

steps.py    an order as a tree
order.py    in which order to join, and what to take away last
build.py    the plan of an order, and what to project away
"""
