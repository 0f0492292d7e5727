"""The bytes of an ONNX model as a message of protocol buffers."""

from __future__ import annotations

from onnx import ModelProto


class ModelUnreadable(ValueError):
    """Bytes are no ONNX model; the text says why."""


def parsed(content: bytes) -> ModelProto:
    """Return the model that bytes are. Raises ModelUnreadable."""
    model = ModelProto()
    try:
        model.ParseFromString(content)
    except Exception as error:  # whichever implementation of protocol buffers there is raises one of its own
        raise ModelUnreadable(f"expected an ONNX model, found what cannot be parsed: {error}") from None
    if not model.HasField("graph"):
        raise ModelUnreadable("expected an ONNX model, found none with a graph")
    return model
