"""whole runs: rules, elements, options, and their texts"""
