"""whole runs over real data, against plain Python"""
