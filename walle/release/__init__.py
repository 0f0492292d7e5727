"""Who gets what: targeting rules, cohorts, release states, and the compiled table with its decision.

Nothing here does I/O; time and randomness come in as arguments.
"""
