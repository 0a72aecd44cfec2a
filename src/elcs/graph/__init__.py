"""Graphs: separation, and later partly directed graphs and what can be inferred in them."""
