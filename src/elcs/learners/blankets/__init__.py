"""Learners of Markov blankets."""
