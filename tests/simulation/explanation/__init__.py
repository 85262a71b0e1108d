"""runs that are asked why"""
