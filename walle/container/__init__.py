"""The compute container: what runs a task on a device or in a simulator."""
