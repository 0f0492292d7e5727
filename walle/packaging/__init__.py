"""Tailored builds of walle-device: an interpreter, its standard library and packages, with only what a set of tasks
needs (`walle device package`).

Which modules these are is the closure of a graph (`closure`, over the imports of `imports`), begun with what the tasks,
the device and its sandbox name and with what was loaded while they ran (`rehearsal`, `device_life`). What there is to
choose from is read in `inventory`, what of its files is carried and how is decided in `plan`, `writing` writes it, and
`trial` runs the tasks in it; `making` does one after the other. Devices carry none of this.
"""
