"""The REST face of scenarios, tasks, versions, variants and releases."""
