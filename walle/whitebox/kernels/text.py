"""Text: from a record's UTF-8 to characters as a vectorizer sees them, and to words.

A text in a frame: its length in bytes (i64), whether all are ASCII (i64), the bytes. Words in a frame: how many (i64),
eight bytes that nobody uses, where each begins in their bytes and, last, where the next one would (i32); and elsewhere
their bytes, a blank behind each.
"""

import numpy as np

from walle.whitebox.kernels.codes import HEADER, PLAIN, PREPARED, SPACE, WORD_CHARACTER
from walle.whitebox.kernels.decorators import kernel
from walle.whitebox.kernels.hashing import find_column, table_key
from walle.whitebox.kernels.memory import load_i64, load_u8, store_i32, store_i64, store_u8


@kernel
def character_width(lead):
    """Return how many bytes the UTF-8 of a character has that begins with this byte."""
    return 1 + np.int64(lead >= 0xC0) + np.int64(lead >= 0xE0) + np.int64(lead >= 0xF0)


@kernel
def code_point(text, at, width):
    """Return the character at a place; the text is well-formed UTF-8, but may hold surrogates."""
    lead = np.int64(load_u8(text, at))
    if width == 1:
        return lead
    second = np.int64(load_u8(text, at + 1)) & 0x3F
    if width == 2:
        return ((lead & 0x1F) << 6) | second
    third = np.int64(load_u8(text, at + 2)) & 0x3F
    if width == 3:
        return ((lead & 0x0F) << 12) | (second << 6) | third
    return ((lead & 0x07) << 18) | (second << 12) | (third << 6) | (np.int64(load_u8(text, at + 3)) & 0x3F)


@kernel
def is_of(point, wanted, classes):
    """Return whether a character is a word character, or else no space."""
    known = load_u8(classes, point)
    return known & WORD_CHARACTER if wanted == WORD_CHARACTER else not known & SPACE


@kernel
def lower_ascii(byte):
    return byte + 32 if 65 <= byte <= 90 else byte


@kernel
def prepare(arguments, frame):
    """cell, lowers, collapses, classes, target: a record's text as its vectorizer sees it.

    A cell is the address of the UTF-8, the length in bytes, and what it is. Plain ASCII has its letters lowered and
    each run of spaces made one blank here, if asked; everything else comes as it has to be, as Python alone can do
    exactly.
    """
    cell = frame + load_i64(arguments, 0)
    lowers, collapses, classes = load_i64(arguments, 1), load_i64(arguments, 2), load_i64(arguments, 3)
    target = frame + load_i64(arguments, 4)
    source, length, kind = load_i64(cell, 0), load_i64(cell, 1), load_i64(cell, 2)
    data = target + HEADER
    store_i64(target, 1, np.int64(kind != PREPARED))
    if kind != PLAIN:
        for i in range(length):
            store_u8(data, i, load_u8(source, i))
        store_i64(target, 0, length)
        return
    end = 0
    spaces = 0
    for i in range(length):
        byte = np.int64(load_u8(source, i))
        is_space = np.int64(load_u8(classes, byte)) >> 1
        spaces = (spaces + 1) * is_space
        if spaces < 2 or not collapses:
            store_u8(data, end, lower_ascii(byte) if lowers else byte)
            end += 1
        else:
            store_u8(data, end - 1, 32)
    store_i64(target, 0, end)


@kernel
def tokenize(arguments, frame):
    """text, characters, shortest, classes, stop words, their capacity, target, its bytes.

    Finds the longest runs of characters of a class that have at least so many and are no stop words, and joins them by
    blanks.
    """
    text, wanted, shortest = frame + load_i64(arguments, 0), load_i64(arguments, 1), load_i64(arguments, 2)
    classes, stop_words, capacity = load_i64(arguments, 3), load_i64(arguments, 4), load_i64(arguments, 5)
    words, data = frame + load_i64(arguments, 6), frame + load_i64(arguments, 7)
    source, length, starts = text + HEADER, load_i64(text, 0), words + HEADER
    is_ascii = load_i64(text, 1)
    count = end = at = 0
    while at < length:
        begin, characters = at, 0
        while at < length:
            width = 1 if is_ascii else character_width(load_u8(source, at))
            if not is_of(code_point(source, at, width), wanted, classes):
                break
            for i in range(width):
                store_u8(data, end + at - begin + i, load_u8(source, at + i))
            characters += 1
            at += width
        after = end + at - begin
        if characters >= shortest and not (
            stop_words and find_column(table_key(data + end, data + after), stop_words, capacity) >= 0
        ):
            store_i32(starts, count, end)
            store_u8(data, after, 32)
            end = after + 1
            count += 1
        if at < length:
            at += 1 if is_ascii else character_width(load_u8(source, at))
    store_i32(starts, count, end)
    store_i64(words, 0, count)
