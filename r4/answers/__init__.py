"""What began and ceased to hold: kept until it is final, or told early, and put in order"""
