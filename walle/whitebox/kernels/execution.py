"""One compiled function for all plans: it walks a plan's program and calls the kernel of each instruction.

A program is an array of i64. An instruction is its operation's number, its length in words, and its arguments. The
operation's number is one of `Operation`.
"""

import numpy as np
from numba import njit

from walle.whitebox.kernels import categories, models, ngrams, numbers, scores, text, trees
from walle.whitebox.kernels.decorators import kernel
from walle.whitebox.kernels.memory import load_f64, load_i64, load_u8, store_i64
from walle.whitebox.kernels.operations import Operation

FINISHED = 2
"""What an instruction says of a record whose answer is complete; 1 says that it is refused, 0 that it goes on."""
PASSED_OVER = -2
"""What the answer of a finished record begins with as long as its batch runs."""


@kernel
def check_numbers(arguments, frame):
    """source, size, and a byte for each that says whether it must be there. Says whether one is infinite or missing."""
    source, needed = frame + load_i64(arguments, 0), load_i64(arguments, 2)
    found = 0
    for i in range(load_i64(arguments, 1)):
        value = load_f64(source, i)
        found |= np.int64(abs(value) == np.inf) | (np.int64(value != value) & np.int64(load_u8(needed, i)))
    return found != 0


@kernel
def run_text(operation, arguments, frame):
    if operation == Operation.PREPARE:
        text.prepare(arguments, frame)
    elif operation == Operation.TOKENIZE:
        text.tokenize(arguments, frame)
    elif operation == Operation.COUNT_NGRAMS:
        ngrams.count_ngrams(arguments, frame)
    elif operation == Operation.HASH_NGRAMS:
        ngrams.hash_ngrams(arguments, frame)
    elif operation == Operation.WEIGH_TERMS:
        numbers.weigh_terms(arguments, frame)
    elif operation == Operation.NORMALIZE:
        numbers.normalize(arguments, frame)
    elif operation == Operation.LINEAR_SPARSE:
        models.linear_sparse(arguments, frame)
    elif operation == Operation.LINEAR:
        models.linear(arguments, frame)


@kernel
def run_scores(operation, arguments, frame):
    if operation == Operation.ADD:
        numbers.add(arguments, frame)
    elif operation == Operation.SIGMOID:
        scores.sigmoid(arguments, frame)
    elif operation == Operation.SOFTMAX:
        scores.softmax(arguments, frame)
    elif operation == Operation.COMPLEMENT:
        scores.complement(arguments, frame)
    elif operation == Operation.EXTREME:
        scores.extreme(arguments, frame)
    elif operation == Operation.THRESHOLD:
        scores.threshold(arguments, frame)
    elif operation == Operation.VOTE:
        scores.vote(arguments, frame)


@kernel
def run_numbers(operation, arguments, frame):
    if operation == Operation.COPY:
        numbers.copy(arguments, frame)
    elif operation == Operation.SCATTER:
        numbers.scatter(arguments, frame)
    elif operation == Operation.START_SPARSE:
        numbers.start_sparse(arguments, frame)
    elif operation == Operation.APPEND_SPARSE:
        numbers.append_sparse(arguments, frame)
    elif operation == Operation.APPEND_DENSE:
        numbers.append_dense(arguments, frame)
    elif operation == Operation.SELECT:
        numbers.select(arguments, frame)
    elif operation == Operation.WEIGH_DENSE:
        numbers.weigh_dense(arguments, frame)
    elif operation == Operation.AFFINE:
        numbers.affine(arguments, frame)
    elif operation == Operation.AFFINE_SPARSE:
        numbers.affine_sparse(arguments, frame)
    elif operation == Operation.BINARIZE:
        numbers.binarize(arguments, frame)
    elif operation == Operation.IMPUTE:
        numbers.impute(arguments, frame)
    elif operation == Operation.APPLY_FUNCTION:
        numbers.apply_function(arguments, frame)
    elif operation == Operation.NORM:
        numbers.norm(arguments, frame)
    elif operation == Operation.JOIN_NORMS:
        numbers.join_norms(arguments, frame)
    elif operation == Operation.DIVIDE:
        numbers.divide(arguments, frame)


@kernel
def run_models(operation, arguments, frame):
    if operation == Operation.PCA:
        models.pca(arguments, frame)
    elif operation == Operation.KMEANS:
        models.kmeans(arguments, frame)
    elif operation == Operation.FIND_LEAVES:
        trees.find_leaves(arguments, frame)
    elif operation == Operation.SUM_LEAVES:
        trees.sum_leaves(arguments, frame)
    elif operation == Operation.MARK_LEAVES:
        trees.mark_leaves(arguments, frame)
    elif operation == Operation.MARK_LEAVES_SPARSE:
        trees.mark_leaves_sparse(arguments, frame)


@kernel
def run_categories(operation, arguments, frame):
    """Says whether the record is refused, or finished."""
    if operation == Operation.FILL:
        categories.fill(arguments, frame)
    elif operation == Operation.ONE_HOT:
        return categories.one_hot(arguments, frame)
    elif operation == Operation.ONE_HOT_SPARSE:
        return categories.one_hot_sparse(arguments, frame)
    elif operation == Operation.ORDINAL:
        return categories.ordinal(arguments, frame)
    elif operation == Operation.CHECK_NUMBERS:
        return check_numbers(arguments, frame)
    elif operation == Operation.RESTORE_DENSE:
        numbers.restore_dense(arguments, frame)
    elif operation == Operation.RESTORE_SPARSE:
        numbers.restore_sparse(arguments, frame)
    elif operation == Operation.LINEAR_PACKED:
        models.linear_packed(arguments, frame)
    elif operation == Operation.FINISH_IF_SURE:
        return FINISHED * scores.is_sure(arguments, frame)
    return 0


@kernel
def run(operation, arguments, frame):
    """Says whether the record is refused, or finished."""
    if operation < Operation.ADD:
        run_text(operation, arguments, frame)
    elif operation < Operation.COPY:
        run_scores(operation, arguments, frame)
    elif operation < Operation.PCA:
        run_numbers(operation, arguments, frame)
    elif operation < Operation.FILL:
        run_models(operation, arguments, frame)
    else:
        return run_categories(operation, arguments, frame)
    return 0


@kernel
def copy_words(source, target, count):
    for i in range(count):
        store_i64(target, i, load_i64(source, i))


@kernel
def run_together(program, first, last, frame, stride, answers, answer_bytes, count):
    """Runs each instruction for some records, whose frames lie `stride` bytes apart, before the next one."""
    word, finished = first, False
    while word < last:
        instruction = program + 8 * word
        operation, arguments = load_i64(instruction, 0), instruction + 16
        if operation == Operation.FIND_LEAVES and count > 1 and not finished:
            trees.find_leaves_together(arguments, frame, stride, count)
        else:
            for record in range(count):
                answer = answers + answer_bytes * record
                if load_i64(answer, 0) == -1:
                    said = run(operation, arguments, frame + stride * record)
                    if said == FINISHED:
                        store_i64(answer, 0, PASSED_OVER)
                        finished = True
                    elif said:
                        store_i64(answer, 0, word)
        word += load_i64(instruction, 1)
    for record in range(count if finished else 0):
        answer = answers + answer_bytes * record
        store_i64(answer, 0, max(-1, load_i64(answer, 0)))


@kernel
def run_batch(program, first, last, frame, batch):
    count, rows, width, stride = load_i64(batch, 0), load_i64(batch, 1), load_i64(batch, 2), load_i64(batch, 3)
    answers, place, size = load_i64(batch, 4), load_i64(batch, 5), load_i64(batch, 6)
    together, answer_bytes = load_i64(batch, 7), 8 * (load_i64(batch, 6) + 1)
    for start in range(0, count, together):
        some, own = min(together, count - start), answers + answer_bytes * start
        for record in range(some):
            copy_words(rows + 8 * width * (start + record), frame + stride * record, width)
        run_together(program, first, last, frame, stride, own, answer_bytes, some)
        for record in range(some):
            copy_words(frame + stride * record + place, own + answer_bytes * record + 8, size)


@njit("int64(int64, int64, int64, int64, int64)", nogil=True, cache=True)
def execute(program, first, last, frame, batch):
    """Runs the instructions of a program from one word to another for the record in a frame, or for a batch.

    Returns -1, or the word of the instruction that refused the record. What is behind FINISH_IF_SURE is passed over for
    a record of which a prefix is sure. A batch is the address of: how many records; the
    rows, and the words of each; the bytes from one frame to the next; the answers, and the place in the frame and the
    words of each; and how many records are run together, for which there are frames. For each record, its row is copied
    to the start of its frame, and its answer behind a word that is -1, or that of the instruction that refused the
    record; for that one no instruction is run then.
    """
    if batch:
        run_batch(program, first, last, frame, batch)
        return -1
    word = first
    while word < last:
        instruction = program + 8 * word
        said = run(load_i64(instruction, 0), instruction + 16, frame)
        if said:
            return -1 if said == FINISHED else word
        word += load_i64(instruction, 1)
    return -1
