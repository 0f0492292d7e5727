"""On-device stream processing (Walle, section 5.1): from behaviour events to triggered tasks and their feature tables.

Begin at `processor`, which turns events into firings of tasks; `events` says what an event is, `trie` which tasks it
triggers, `tables` where their outputs are collected. Everything but `tables` and the event log is pure; the device
service around it is `walle.device.streaming`.
"""
