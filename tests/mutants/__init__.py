"""Bugs put in on purpose, to see whether the tests notice them: `make mutants` (README.md)."""
