"""Answers: what was found, why, in which words, how stable it is, and where methods agree."""
