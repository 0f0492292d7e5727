"""How much CPU time a tier may use: the one table. docs/guides/testing.md says how to change it."""

from tests.tiers.tier import Tier

# Seconds of CPU of all workers together, with what they started, on the machine that CI runs on.
BUDGETS = {
    Tier.PURE: 350.0,
    Tier.DATABASE: 600.0,
    Tier.PROCESSES: 1350.0,
    Tier.BROWSER: 640.0,
}
# How far a tier may go over its budget before the run fails: figures vary with the load of the machine.
TOLERANCE = 1.5
