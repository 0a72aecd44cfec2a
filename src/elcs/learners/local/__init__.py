"""Learners of the local causal structure: direct causes and direct effects."""
