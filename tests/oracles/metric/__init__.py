"""metric operators over cells, models, periods, metric rules on streams"""
