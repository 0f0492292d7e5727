"""Numbers that compiler and kernels agree on, beside those of operations."""

# What a character is, in the table of all code points.
WORD_CHARACTER, SPACE = 1, 2
# What the text of a cell is: ASCII as it was given; ASCII, or other characters, after all its steps; or missing.
PLAIN, PREPARED_ASCII, PREPARED, MISSING = 0, 1, 2, 3
# What n-grams are of.
CHARACTERS, INSIDE_WORDS, WORDS = 0, 1, 2
# The places of norms.
NORM_L1, NORM_L2, NORM_MAX = 0, 1, 2
# How many keys ahead of the one that is looked up a line of the dictionary is asked for.
AHEAD = 12
# How many trees are walked at once for one record, and by how many records one tree is.
ABREAST, RECORDS_ABREAST = 8, 16
# The bytes before a text's or words' own.
HEADER = 16
