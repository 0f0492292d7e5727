"""What tasks may import: the only part of Walle that a task sees in its sandbox. It imports nothing of `walle`."""
