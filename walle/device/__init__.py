"""The software of a device.

An app embeds it with `walle.device.embedding`; `python -m walle.device` runs one device from the command line, `python
-m walle.device.emulator` many. `link` communicates with the cloud, `updates` carries out its offers, `running` runs
installed tasks, and `storage` keeps all state so that it survives the death of the process.
"""
