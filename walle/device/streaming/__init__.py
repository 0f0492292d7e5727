"""What a running device does with behaviour events: its queue, its runs of stream tasks, and its control socket."""
