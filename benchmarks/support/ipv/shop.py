"""The code of the example shop/ipv outside its sandbox; no bytecode is left in its folder, which is a bundle."""

from examples import no_bytecode

with no_bytecode():
    from examples.shop.task.main import Feature, encode, feature_of, load_model, vector_of

__all__ = ["Feature", "encode", "feature_of", "load_model", "vector_of"]
