"""what is read of a stream, what a run prints, what a retraction and an early result are"""
