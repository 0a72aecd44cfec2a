"""Learners of the whole graph, all variables at once."""
