"""LolaGP: bound, neighborhood graph, missing values and minibatches."""
