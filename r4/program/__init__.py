"""From documents to a program: compiled rules, negation, lookahead, what joins"""
