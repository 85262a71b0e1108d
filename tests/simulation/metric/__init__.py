"""models and networks of metric rules against their definitions"""
