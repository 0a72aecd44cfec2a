"""The answers to a table as a page to walk through, served to this machine: `elcs explore`."""
