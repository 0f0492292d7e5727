"""The operators of the tensor engine, in the paper's four groups (Walle, section 4.1). Begin with `catalogue`."""
