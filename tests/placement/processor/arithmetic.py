"""The operators of the problem `counting`, found by the folder of this file."""


def split(number):
    """Make up to two records: none of every third number."""
    return [] if number % 3 == 0 else [(0, number), (1, 10 * number)]


def square(model):
    return lambda records: [(index, number**2) for index, number in records]


def parity(model):
    return lambda records: [(index, number % 2) for index, number in records]


def odd(pair):
    (index, _), (other, parity) = pair
    return index == other and parity == 1


def key(pair):
    return pair[0][1] % 5


def total(key, pairs):
    return key, sum(number for (_, number), _ in pairs)


def broken(model):
    def fails(records):
        raise ArithmeticError("no number at all")

    return fails


def short(model):
    return lambda records: []


def expected(numbers, window):
    """Return the records of each window, in the plain way."""
    found = []
    for first in range(0, len(numbers), window):
        sums = {}
        for number in numbers[first : first + window]:
            for _, each in split(number):
                if each % 2:
                    sums[each**2 % 5] = sums.get(each**2 % 5, 0) + each**2
        found.append(sums)
    return found
