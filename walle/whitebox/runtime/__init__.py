"""The on-line part of white-box serving (PRETZEL, section 4.3): parameters in memory once, two engines, a scheduler.

Begin at `service`, whose Runtime a serving process has one of. What is decided (`ledger`, `schedule`, `admission`,
`reservations`, `isolation`, `engines`, `materialisation`, `delayed_batching`) is pure: time comes in as an argument.
Around it are the mapped files of `parameter_store` and the processes of `executors`.
"""
