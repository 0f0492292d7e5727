"""What runs on a device: agent, updater, crash-safe store, emulator.

An app embeds it with `walle.device.embedding`; `python -m walle.device` is one device on a command line, and
`python -m walle.device.emulator` many.
"""
