"""The processor runs a placement plan: JellyBean, section 5, on Ray instead of Timely Dataflow.

Parallelism is by operator: each worker of the plan is a process (a Ray actor) that runs its operators only, and hands
what they make to the workers of the operators behind, without a master between them. Everything here but `ray_backend`
knows nothing of Ray, which is an extra.

- `specs`: what a worker is told to run. `planning` makes it from a problem, a plan and the code of the operators.
- `envelopes`, `routing`, `joining`, `windows`, `network`, `ledger`, `measuring`: the decisions, pure.
- `worker_loop`: one worker: its queue, its operators, its outboxes. `running`: all of them, sources, sink and failures.
"""
