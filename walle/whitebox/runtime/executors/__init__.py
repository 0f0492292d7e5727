"""The executors of the batch engine: one process for each core, so that one can be killed without harm to others.

`fork_server` is a process that has loaded what executors need and forks them in milliseconds; `executor` is what runs
in each; `pool` is their owner's side. Records and answers lie in memory that an executor shares with its owner.
"""
