"""Semi-auto search: which backend runs a graph in the least time, and by which algorithms (Walle, section 4.1).

`work` counts what operators compute, `costs` turns that into time by equations 1 to 3, `calibrating` measures a device
once, `choosing` decides and may measure, `caching` keeps what was found.
"""
