"""Facts in and out: lines and tables, read with care or in bulk; the bulk writer; patterns that select facts."""
