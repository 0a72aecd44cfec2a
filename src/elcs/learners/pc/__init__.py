"""Learners of the parents and children of a variable."""
