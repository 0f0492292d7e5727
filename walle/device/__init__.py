"""What runs on a device.

An app embeds it with `walle.device.embedding`; `python -m walle.device` is one device on a command line, and
`python -m walle.device.emulator` many. Behind these doors: `link` talks to the cloud, `updates` carries out its offers,
`running` runs what is installed, and `storage` keeps everything through the death of the process.
"""
