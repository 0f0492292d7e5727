"""One compiled function for all plans: it walks a plan's program and calls the kernel of each instruction.

A program is an array of i64. An instruction is its operation's number, its length in words, and its arguments. An operation's
number is its place in OPERATIONS.
"""

import numpy as np
from numba import njit

from walle.whitebox.kernels import categories, models, ngrams, numbers, scores, text, trees
from walle.whitebox.kernels.memory import load_f64, load_i64, store_i64

OPERATIONS = (
    "prepare",
    "tokenize",
    "count_ngrams",
    "hash_ngrams",
    "weigh_terms",
    "normalize",
    "linear_sparse",
    "linear",
    "add",
    "sigmoid",
    "softmax",
    "complement",
    "extreme",
    "threshold",
    "vote",
    "copy",
    "scatter",
    "start_sparse",
    "append_sparse",
    "append_dense",
    "select",
    "select_sparse",
    "affine",
    "affine_sparse",
    "binarize",
    "impute",
    "apply_function",
    "pca",
    "kmeans",
    "find_leaves",
    "sum_leaves",
    "mark_leaves",
    "fill",
    "one_hot",
    "one_hot_sparse",
    "ordinal",
    "check_numbers",
)


@njit(nogil=True)
def check_numbers(arguments, frame):
    """source, size. Says whether one of the numbers is infinite."""
    source = frame + load_i64(arguments, 0)
    found = 0
    for i in range(load_i64(arguments, 1)):
        found |= np.int64(abs(load_f64(source, i)) == np.inf)
    return found != 0


@njit(nogil=True)
def run_text(operation, arguments, frame):
    if operation == 0:
        text.prepare(arguments, frame)
    elif operation == 1:
        text.tokenize(arguments, frame)
    elif operation == 2:
        ngrams.count_ngrams(arguments, frame)
    elif operation == 3:
        ngrams.hash_ngrams(arguments, frame)
    elif operation == 4:
        numbers.weigh_terms(arguments, frame)
    elif operation == 5:
        numbers.normalize(arguments, frame)
    elif operation == 6:
        models.linear_sparse(arguments, frame)
    elif operation == 7:
        models.linear(arguments, frame)


@njit(nogil=True)
def run_scores(operation, arguments, frame):
    if operation == 8:
        numbers.add(arguments, frame)
    elif operation == 9:
        scores.sigmoid(arguments, frame)
    elif operation == 10:
        scores.softmax(arguments, frame)
    elif operation == 11:
        scores.complement(arguments, frame)
    elif operation == 12:
        scores.extreme(arguments, frame)
    elif operation == 13:
        scores.threshold(arguments, frame)
    elif operation == 14:
        scores.vote(arguments, frame)


@njit(nogil=True)
def run_numbers(operation, arguments, frame):
    if operation == 15:
        numbers.copy(arguments, frame)
    elif operation == 16:
        numbers.scatter(arguments, frame)
    elif operation == 17:
        numbers.start_sparse(arguments, frame)
    elif operation == 18:
        numbers.append_sparse(arguments, frame)
    elif operation == 19:
        numbers.append_dense(arguments, frame)
    elif operation == 20:
        numbers.select(arguments, frame)
    elif operation == 21:
        numbers.select_sparse(arguments, frame)
    elif operation == 22:
        numbers.affine(arguments, frame)
    elif operation == 23:
        numbers.affine_sparse(arguments, frame)
    elif operation == 24:
        numbers.binarize(arguments, frame)
    elif operation == 25:
        numbers.impute(arguments, frame)
    elif operation == 26:
        numbers.apply_function(arguments, frame)


@njit(nogil=True)
def run_models(operation, arguments, frame):
    if operation == 27:
        models.pca(arguments, frame)
    elif operation == 28:
        models.kmeans(arguments, frame)
    elif operation == 29:
        trees.find_leaves(arguments, frame)
    elif operation == 30:
        trees.sum_leaves(arguments, frame)
    elif operation == 31:
        trees.mark_leaves(arguments, frame)


@njit(nogil=True)
def run_categories(operation, arguments, frame):
    """Says whether the record is refused."""
    if operation == 32:
        categories.fill(arguments, frame)
    elif operation == 33:
        return categories.one_hot(arguments, frame)
    elif operation == 34:
        return categories.one_hot_sparse(arguments, frame)
    elif operation == 35:
        return categories.ordinal(arguments, frame)
    elif operation == 36:
        return check_numbers(arguments, frame)
    return False


@njit(nogil=True)
def run(program, first, last, frame):
    """Runs the instructions of a program from one word to another.

    Returns -1, or the word of the instruction that refused the record.
    """
    word = first
    while word < last:
        instruction = program + 8 * word
        operation, arguments = load_i64(instruction, 0), instruction + 16
        if operation < 8:
            run_text(operation, arguments, frame)
        elif operation < 15:
            run_scores(operation, arguments, frame)
        elif operation < 27:
            run_numbers(operation, arguments, frame)
        elif operation < 32:
            run_models(operation, arguments, frame)
        elif run_categories(operation, arguments, frame):
            return word
        word += load_i64(instruction, 1)
    return np.int64(-1)


@njit(nogil=True)
def copy_words(source, target, count):
    for i in range(count):
        store_i64(target, i, load_i64(source, i))


@njit("int64(int64, int64, int64, int64)", nogil=True, cache=True)
def execute(program, first, last, frame):
    """Runs a program for the record in a frame, as `run`."""
    return run(program, first, last, frame)


@njit("void(int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64)", nogil=True, cache=True)
def execute_batch(program, first, last, frame, stride, rows, width, answers, place, size, count):
    """Runs a program for each of `count` records, one after the other.

    The record's row, `width` words, is copied to the start of its frame; frames are `stride` bytes apart, 0 for one that all use.
    The words of the answer, `size` of them at a place in the frame, are copied behind what `run` returned.
    """
    for record in range(count):
        here = frame + record * stride
        copy_words(rows + 8 * width * record, here, width)
        answer = answers + 8 * (size + 1) * record
        store_i64(answer, 0, run(program, first, last, here))
        copy_words(here + place, answer + 8, size)
