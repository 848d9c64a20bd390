"""Files of results: their names, how they are written and read, what made them."""
