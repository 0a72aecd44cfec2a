"""Learners: each in a file of its own that reads like its paper, and a registry of their names."""
