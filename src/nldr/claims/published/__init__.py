"""Published numbers: which cells of ours they belong to, and whether these reproduce them."""
