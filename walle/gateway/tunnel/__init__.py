"""The check-in, enrolment and report endpoints, as a bare ASGI application with ports for tables and reports."""
