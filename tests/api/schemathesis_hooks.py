"""Loaded by schemathesis: what it leaves out."""

import schemathesis

# With random values, most writings would stop at them. tests/api/test_exchange.py is about these.
LEFT_OUT = {"If-Match", "If-None-Match", "Idempotency-Key"}


@schemathesis.hook
def before_load_schema(context, raw_schema):
    for methods in raw_schema["paths"].values():
        for operation in methods.values():
            parameters = operation.get("parameters", [])
            operation["parameters"] = [each for each in parameters if each["name"] not in LEFT_OUT]
