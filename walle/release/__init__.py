"""Who gets what: rules, cohorts, release states and the compiled table."""
