"""The bytes of an ONNX model as a message of protocol buffers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

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
    _refuse_other_texts(model)
    return model


def _refuse_other_texts(message: Any) -> None:
    """Raise ModelUnreadable for a text that is not UTF-8, which protocol buffers give as bytes."""
    for field, value in message.ListFields():
        if field.type not in (field.TYPE_STRING, field.TYPE_MESSAGE):
            continue
        several: Iterable[Any] = (value,) if isinstance(value, str | bytes) or hasattr(value, "ListFields") else value
        for each in several:
            if field.type == field.TYPE_MESSAGE:
                _refuse_other_texts(each)
            elif not isinstance(each, str):
                raise ModelUnreadable(f"expected {field.name} in UTF-8, found {each[:100]!r}")
