"""A pipeline archive from files that somebody else wrote: names, sizes and the document first, then the data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256

from walle.schema import Problem, Problems
from walle.whitebox.archive.document import Archive, ArchiveMalformed, read_document, read_samples
from walle.whitebox.archive.files import (
    DOCUMENT,
    MAX_DOCUMENT,
    MAX_SAMPLES,
    PARAMETERS,
    SAMPLES,
    ArchiveEntry,
    ArchiveFiles,
    parameter_path,
)


def read_archive(files: ArchiveFiles) -> Archive:
    """Read an archive and check all of it. Raises ArchiveMalformed with all problems.

    Nothing is read before its size is known to be allowed; no parameter is read before the document is valid and all
    files have the size that it says.
    """
    sizes = _sizes(files.entries())
    archive = read_document(files.read(DOCUMENT))
    problems = Problems()
    _check_files(archive.array_sizes, sizes, problems)
    if problems.found:
        raise ArchiveMalformed(problems.all)
    found = [*_problems_of_samples(archive, files, sizes), *_problems_of_data(archive, files)]
    if found:
        raise ArchiveMalformed(found)
    return archive


def _sizes(entries: Iterable[ArchiveEntry]) -> dict[str, int]:
    """Return the bytes of the regular files that belong to an archive; others in its folder are no concern of it."""
    problems = Problems()
    sizes: dict[str, int] = {}
    for each in entries:
        if each.path in (DOCUMENT, SAMPLES) or each.path.startswith(PARAMETERS):
            sizes[each.path] = each.size
            if not each.is_file:
                problems.say(each.path, "a regular file", "something else")
    if DOCUMENT not in sizes:
        problems.say(DOCUMENT, "the description of a pipeline", "no file")
    for path, most in ((DOCUMENT, MAX_DOCUMENT), (SAMPLES, MAX_SAMPLES)):
        if sizes.get(path, 0) > most:
            problems.say(path, f"at most {most} bytes", str(sizes[path]))
    if problems.found:
        raise ArchiveMalformed(problems.all)
    return sizes


def _check_files(arrays: Mapping[str, int], sizes: Mapping[str, int], problems: Problems) -> None:
    """Check that there is a file of the right size for each array (bytes by digest), and no other."""
    wanted = {parameter_path(digest): size for digest, size in arrays.items()}
    for path, size in wanted.items():
        if path not in sizes:
            problems.say(path, f"a file of {size} bytes", "no file")
        elif sizes[path] != size:
            problems.say(path, f"{size} bytes, by its type and shape", str(sizes[path]))
    for path in sizes:
        if path.startswith(PARAMETERS) and path not in wanted:
            problems.say(path, f"a file that {DOCUMENT} names", "another")


def _problems_of_samples(archive: Archive, files: ArchiveFiles, sizes: Mapping[str, int]) -> tuple[Problem, ...]:
    if SAMPLES not in sizes:
        return ()
    try:
        read_samples(files.read(SAMPLES), archive.graph)
    except ArchiveMalformed as error:
        return error.problems
    return ()


def _problems_of_data(archive: Archive, files: ArchiveFiles) -> tuple[Problem, ...]:
    """Find what is wrong with parameters: their digests, and what they contain."""
    from walle.whitebox.archive.contents import check_contents  # loads numpy

    problems, data = Problems(), {}
    for digest, size in archive.array_sizes.items():
        content = files.read(parameter_path(digest))
        if len(content) != size or sha256(content).hexdigest() != digest:
            problems.say(parameter_path(digest), "the bytes that its name is the SHA-256 of", "others")
        else:
            data[digest] = content
    inside = Problems(DOCUMENT)
    check_contents(archive.graph, archive.types, data, inside)
    return (*problems.all, *inside.all)
