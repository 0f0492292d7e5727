"""How the body of a feature is spelled: raw, or compressed with zstd (RFC 8878), perhaps with a dictionary.

A feature is a few hundred bytes in which little repeats; what repeats lies in the features before it. A dictionary
trained on those makes the names of members and common values cost a few bits each. It is distributed like an artifact,
and is known by the SHA-256 of its content.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from hashlib import sha256
from typing import Final

import zstandard

from walle.protocol.errors import DocumentMalformed, FrameMalformed
from walle.protocol.tunnel_frames import RAW, ZSTD, ZSTD_DICTIONARY

MAX_DICTIONARY: Final = 112 * 1024
"""The most bytes of a dictionary."""
LEVEL: Final = 3
_MAGIC: Final = bytes.fromhex("37a430ec")
_LEAST_WINDOW: Final = 1024


class Dictionary:
    """A zstd dictionary in the format of RFC 8878, section 5; safe to use from several threads.

    Raises DocumentMalformed for content that is not one.
    """

    def __init__(self, content: bytes) -> None:
        if len(content) > MAX_DICTIONARY:
            raise DocumentMalformed(f"dictionary: expected at most {MAX_DICTIONARY} bytes, found {len(content)}")
        if not content.startswith(_MAGIC):
            raise DocumentMalformed("dictionary: expected zstd's magic number of dictionaries, 37 a4 30 ec")
        self.content = content
        self._shared = zstandard.ZstdCompressionDict(content, dict_type=zstandard.DICT_TYPE_FULLDICT)
        try:
            self._shared.precompute_compress(level=LEVEL)
        except zstandard.ZstdError as error:
            raise DocumentMalformed(f"dictionary: {error}") from error
        self._own = _Contexts(self._shared)

    @cached_property
    def digest(self) -> bytes:
        """The SHA-256 of the content."""
        return sha256(self.content).digest()

    def compress(self, data: bytes) -> bytes:
        return self._own.compressor.compress(data)

    def decompressor(self) -> zstandard.ZstdDecompressor:
        """Return this thread's decompressor."""
        return self._own.decompressor


class _Contexts(threading.local):
    """Each thread's contexts of zstd, which are not to be shared, over one dictionary or none, which may be."""

    def __init__(self, dictionary: zstandard.ZstdCompressionDict | None = None) -> None:
        self.compressor = zstandard.ZstdCompressor(
            LEVEL, dictionary, write_checksum=False, write_content_size=True, write_dict_id=False
        )
        self.decompressor = zstandard.ZstdDecompressor(dict_data=dictionary)


_PLAIN: Final = _Contexts()


def compress(data: bytes, dictionary: Dictionary | None) -> tuple[int, bytes]:
    """Return the encoding and the body: compressed, or raw where that is not shorter."""
    if dictionary is None:
        encoding, body = ZSTD, _PLAIN.compressor.compress(data)
    else:
        encoding, body = ZSTD_DICTIONARY, dictionary.compress(data)
    return (encoding, body) if len(body) < len(data) else (RAW, data)


def decompress(encoding: int, body: bytes, dictionary: Dictionary | None, most: int) -> bytes:
    """Return the data of a body, of at most `most` bytes; nothing larger is ever allocated. Raises FrameMalformed."""
    if encoding == RAW:
        if len(body) > most:
            raise FrameMalformed("body-too-large", f"expected at most {most} bytes, found {len(body)}")
        return body
    if encoding == ZSTD_DICTIONARY and dictionary is None:
        raise FrameMalformed("body-malformed", "expected an encoding without a dictionary: this stream has none")
    _check_size(body, most)
    decompressor = dictionary.decompressor() if encoding == ZSTD_DICTIONARY and dictionary else _PLAIN.decompressor
    try:
        return decompressor.decompress(body, allow_extra_data=False)
    except zstandard.ZstdError as error:
        raise FrameMalformed("body-malformed", f"expected one frame of zstd: {error}") from error


def _check_size(body: bytes, most: int) -> None:
    # zstd allocates what the frame's header says before it reads on.
    try:
        header = zstandard.get_frame_parameters(body)
    except zstandard.ZstdError as error:
        raise FrameMalformed("body-malformed", f"expected one frame of zstd: {error}") from error
    if header.content_size == zstandard.CONTENTSIZE_UNKNOWN:
        raise FrameMalformed("body-malformed", "expected a frame of zstd that says the size of its content")
    if header.content_size > most or header.window_size > max(2 * most, _LEAST_WINDOW):
        raise FrameMalformed("body-too-large", f"expected at most {most} bytes, found {header.content_size}")


def train(samples: Sequence[bytes], size: int) -> Dictionary:
    """Return a dictionary of at most `size` bytes for data like these samples.

    Raises ValueError if the samples are too few or too small for one; hundreds, of ten times its size in all, will do.
    """
    try:
        return Dictionary(zstandard.train_dictionary(size, list(samples), level=LEVEL).as_bytes())
    except zstandard.ZstdError as error:
        raise ValueError(f"expected samples enough for a dictionary of {size} bytes: {error}") from error
