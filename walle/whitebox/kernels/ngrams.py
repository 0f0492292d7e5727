"""n-grams: every stretch of a text or of its words, looked up in a dictionary or hashed, and counted for each distinct
column.

All keys of a record are made first; while one is looked up, the lines of the table that those behind it need are on
their way.
"""

import numpy as np

from walle.whitebox.kernels.codes import AHEAD, HEADER, INSIDE_WORDS, SPACE, WORDS
from walle.whitebox.kernels.decorators import kernel
from walle.whitebox.kernels.hashing import OFFSET, PRIME, finalize, find_column, murmur, prefetch_slot, table_key
from walle.whitebox.kernels.memory import (
    load_i32,
    load_i64,
    load_u8,
    load_u64,
    store_i64,
    store_u8,
    store_u64,
)
from walle.whitebox.kernels.terms import add_term, clear_seen, seen_size
from walle.whitebox.kernels.text import character_width, code_point


@kernel
def key_of(start, end, hashed):
    return np.uint64(murmur(start, end)) if hashed else table_key(start, end)


@kernel
def ascii_keys(start, length, low, high, states, keys):
    """Make the keys of all n-grams of ASCII characters, n by n: the hash of each goes on where that of the shorter one
    ended.
    """
    for i in range(length):
        store_u64(states, i, (OFFSET ^ np.uint64(load_u8(start, i))) * PRIME)
    count = 0
    for n in range(1, min(high, length) + 1):
        windows = length - n + 1
        if n > 1:
            for i in range(windows):
                store_u64(states, i, (load_u64(states, i) ^ np.uint64(load_u8(start, i + n - 1))) * PRIME)
        if n >= low:
            for i in range(windows):
                store_u64(keys, count + i, finalize(load_u64(states, i)))
            count += windows
    return count


@kernel
def stretch_keys(start, end, low, high, whole, hashed, keys, count):
    """Make the keys of all n-grams of the characters between two addresses, n by n.

    With `whole`, as inside words, a stretch that is no longer than n counts as a whole, and no greater n follows.
    """
    for n in range(low, high + 1):
        first = last = start
        characters = 0
        while characters < n and last < end:
            last += character_width(load_u8(last, 0))
            characters += 1
        if characters < n and not whole:
            break
        store_u64(keys, count, key_of(first, last, hashed))
        count += 1
        if last >= end and whole:
            break
        while last < end:
            first += character_width(load_u8(first, 0))
            last += character_width(load_u8(last, 0))
            store_u64(keys, count, key_of(first, last, hashed))
            count += 1
    return count


@kernel
def padded_keys(text, low, high, hashed, classes, word, keys):
    """Make the keys of all n-grams inside words, each with a blank before and behind it."""
    source, length = text + HEADER, load_i64(text, 0)
    count = at = 0
    while at < length:
        size = 1
        while at < length:
            width = character_width(load_u8(source, at))
            if load_u8(classes, code_point(source, at, width)) & SPACE:
                break
            for i in range(width):
                store_u8(word, size + i, load_u8(source, at + i))
            size += width
            at += width
        if size > 1:
            store_u8(word, 0, 32)
            store_u8(word, size, 32)
            count = stretch_keys(word, word + size + 1, low, high, True, hashed, keys, count)
        if at < length:
            at += character_width(load_u8(source, at))
    return count


@kernel
def word_keys(words, data, low, high, hashed, keys):
    """Make the keys of all n-grams of words, joined by blanks."""
    count, starts = 0, words + HEADER
    total = load_i64(words, 0)
    for n in range(low, min(high, total) + 1):
        for i in range(total - n + 1):
            begin, end = data + np.int64(load_i32(starts, i)), data + np.int64(load_i32(starts, i + n)) - 1
            store_u64(keys, count, key_of(begin, end, hashed))
            count += 1
    return count


@kernel
def make_keys(arguments, frame, hashed):
    """source, its bytes, what of, low, high, classes, room for a word, for states and for keys. Returns how many."""
    source, what, low, high = (
        frame + load_i64(arguments, 0),
        load_i64(arguments, 2),
        load_i64(arguments, 3),
        load_i64(arguments, 4),
    )
    classes, word, states, keys = (
        load_i64(arguments, 5),
        frame + load_i64(arguments, 6),
        frame + load_i64(arguments, 7),
        frame + load_i64(arguments, 8),
    )
    if what == WORDS:
        return word_keys(source, frame + load_i64(arguments, 1), low, high, hashed, keys)
    if what == INSIDE_WORDS:
        return padded_keys(source, low, high, hashed, classes, word, keys)
    start, length = source + HEADER, load_i64(source, 0)
    if load_i64(source, 1) and not hashed:
        return ascii_keys(start, length, low, high, states, keys)
    return stretch_keys(start, start + length, low, high, False, hashed, keys, 0)


@kernel
def count_ngrams(arguments, frame):
    """What make_keys takes, then table, capacity, room for `seen`, size, and counts, columns and values of the
    target.
    """
    total, keys = make_keys(arguments, frame, False), frame + load_i64(arguments, 8)
    table, capacity, seen = load_i64(arguments, 9), load_i64(arguments, 10), frame + load_i64(arguments, 11)
    columns, values = frame + load_i64(arguments, 14), frame + load_i64(arguments, 15)
    size = seen_size(min(total, load_i64(arguments, 12)))
    clear_seen(seen, size)
    for i in range(min(AHEAD, total)):
        prefetch_slot(load_u64(keys, i), table, capacity)
    count = 0
    for i in range(total):
        prefetch_slot(load_u64(keys, i + AHEAD), table, capacity)
        column = find_column(load_u64(keys, i), table, capacity)
        if column >= 0:
            count = add_term(column, 1.0, seen, size, columns, values, count)
    store_i64(frame + load_i64(arguments, 13), 0, count)


@kernel
def hash_ngrams(arguments, frame):
    """What make_keys takes, then signed, and as for count_ngrams: hashes modulo the size, as scikit-learn counts them.

    The hash is MurmurHash3 as a signed integer; a negative one counts negatively if signed.
    """
    total, keys = make_keys(arguments, frame, True), frame + load_i64(arguments, 8)
    signed, features, seen = load_i64(arguments, 9), load_i64(arguments, 12), frame + load_i64(arguments, 11)
    columns, values = frame + load_i64(arguments, 14), frame + load_i64(arguments, 15)
    size = seen_size(min(total, features))
    clear_seen(seen, size)
    count = 0
    for i in range(total):
        key = np.int64(np.int32(load_u64(keys, i)))
        amount = -1.0 if signed and key < 0 else 1.0
        count = add_term(abs(key) % features, amount, seen, size, columns, values, count)
    store_i64(frame + load_i64(arguments, 13), 0, count)
