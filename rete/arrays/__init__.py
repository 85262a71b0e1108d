"""The arrays that everything is made of: deltas, the columns of terms, and the codec by which state is saved."""
