"""White-box serving of trained pipelines (PRETZEL: Scolari et al., OSDI 2018; Lee's thesis, chapters 3 and 4).

A pipeline is a graph of transformations with trained parameters, not a black box: `walle.whitebox.graph` says what it
is and checks it, `walle.whitebox.operators` which transformations there are, `walle.whitebox.archive` how it is
written and read, `walle.whitebox.flour` how a program builds one, `walle.whitebox.oven` how it becomes a plan of
stages. None of these loads numpy before parameters are looked at, and none loads a compiler.
"""
