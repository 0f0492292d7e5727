"""The operations of programs: each instruction has the number of one. The kernel of the same name says what arguments
it takes.
"""

from enum import IntEnum


class Operation(IntEnum):
    """One operation of a program; kernels and compiler know it by its number, which no file holds."""

    PREPARE = 0
    TOKENIZE = 1
    COUNT_NGRAMS = 2
    HASH_NGRAMS = 3
    WEIGH_TERMS = 4
    NORMALIZE = 5
    LINEAR_SPARSE = 6
    LINEAR = 7
    ADD = 8
    SIGMOID = 9
    SOFTMAX = 10
    COMPLEMENT = 11
    EXTREME = 12
    THRESHOLD = 13
    VOTE = 14
    COPY = 15
    SCATTER = 16
    START_SPARSE = 17
    APPEND_SPARSE = 18
    APPEND_DENSE = 19
    SELECT = 20
    WEIGH_DENSE = 21
    AFFINE = 22
    AFFINE_SPARSE = 23
    BINARIZE = 24
    IMPUTE = 25
    APPLY_FUNCTION = 26
    NORM = 27
    JOIN_NORMS = 28
    DIVIDE = 29
    PCA = 30
    KMEANS = 31
    FIND_LEAVES = 32
    SUM_LEAVES = 33
    MARK_LEAVES = 34
    MARK_LEAVES_SPARSE = 35
    FILL = 36
    ONE_HOT = 37
    ONE_HOT_SPARSE = 38
    ORDINAL = 39
    CHECK_NUMBERS = 40
    RESTORE_DENSE = 41
    RESTORE_SPARSE = 42
    FINISH_IF_SURE = 43
    LINEAR_PACKED = 44
