"""Stamps and durations as integer ticks, and how far time has come"""
