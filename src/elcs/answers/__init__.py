"""Answers: what was found and why, in words and in files, how stable it is, and where methods agree."""
