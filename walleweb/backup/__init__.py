"""Back up database, artifacts and repositories, and restore them (docs/guides/backup.md).

A folder of backups:

    artifacts/, exclusive/     every artifact that any of the backups needs, under its digest
    20261120T170000Z/          one backup: contents.json, database.sql.gz, artifacts.txt, exclusive.txt, git/*.bundle
    20261121T170000Z.unfinished/   one in progress, or interrupted: never read
    lock                       held while a backup is made or old ones are removed

The database is copied in one snapshot, then what it refers to: artifacts are immutable, and what git has beyond the
database is registered by a sweep. The folder of a backup gets its name when all of it is on the disk.
"""


class BackupError(Exception):
    """A backup cannot be made, read or restored; the message says why and what would help."""
