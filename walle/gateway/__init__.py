"""The hot path: check-in, enrolment and reports as bare ASGI, with the table source and report sink as ports."""
