"""Pipeline archives: what a trained pipeline is as files, written and read. The format is docs/pipeline-format.md.

`walle.whitebox.archive.writing` writes them; it loads numpy, as reading an archive's data does.
"""

from walle.whitebox.archive.cascade import Cascade, CascadeEvidence
from walle.whitebox.archive.document import (
    Archive,
    ArchiveMalformed,
    ColumnStatistics,
    Sample,
    Statistics,
    VectorStatistics,
    read_document,
    read_samples,
)
from walle.whitebox.archive.files import DOCUMENT, PARAMETERS, SAMPLES, ArchiveFiles, parameter_path
from walle.whitebox.archive.reading import read_archive

__all__ = [
    "DOCUMENT",
    "PARAMETERS",
    "SAMPLES",
    "Archive",
    "ArchiveFiles",
    "ArchiveMalformed",
    "Cascade",
    "CascadeEvidence",
    "ColumnStatistics",
    "Sample",
    "Statistics",
    "VectorStatistics",
    "parameter_path",
    "read_archive",
    "read_document",
    "read_samples",
]
