"""Decide which device gets which version: targeting rules, cohorts, release states, the compiled table.

Nothing here does I/O; time and randomness come in as arguments.
"""
