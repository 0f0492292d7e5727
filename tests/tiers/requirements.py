"""What says that a test starts processes, besides the marker `processes`."""

# Fixtures that start processes which run beside the test.
STARTING_FIXTURES = frozenset(
    {"any_sandbox", "children", "clients", "nginx", "sandbox", "sandboxes", "server", "start_worker"}
)
