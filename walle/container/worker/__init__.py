"""The process that runs tasks. Only the standard library is imported here: nothing of this package reaches a task.

`launcher` is a small fork server, started once; for each run it forks a supervisor (`supervise`), which enters
the isolation (`isolate`) and forks the task (`task`). The other side of the conversation is `walle.container.sandbox`.
"""
