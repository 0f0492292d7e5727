"""What a problem needs to know of models and workers, measured: JellyBean, sections 3 and 6.1.

`models` runs the operators on validation data, once for each combination of models before them, and says how accurate
their outputs are, how many and how large. `workers` times the operators on this machine. `document` puts both into a
problem's document.
"""
