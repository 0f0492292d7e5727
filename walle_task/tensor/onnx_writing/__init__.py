"""Writing graphs as ONNX models, which other engines read. Begin at `model`; it needs no package of ONNX."""
