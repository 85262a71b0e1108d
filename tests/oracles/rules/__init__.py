"""rules over valid time: conditions, strata, least models, rules that come and go"""
