"""The tensor engine: graphs of operators, geometric computing, sessions (Walle, sections 4.1 and 4.2).

A `Graph` (`graph`, checked by `checking`) applies operators of the catalogue (`operators`). `Session` runs it in the
paper's four steps: order it, infer its shapes (`inference`), lower its transform and composite operators to rasters and
atomic operators (`lowering`) and merge these (`merging`), plan its memory (`memory`) and execute kernels (`kernels`,
`raster`) in sequence. It needs NumPy, and nothing else of Walle.
"""
