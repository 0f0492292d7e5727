"""Add and remove indexes while rows are being written; in a transaction, as where a backup is restored, as usual."""

from __future__ import annotations

from typing import Any

from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db.migrations.operations import AddIndex, RemoveIndex


class AddIndexWhileWriting(AddIndexConcurrently):
    """PostgreSQL builds an index beside writers outside transactions only: `atomic = False` in the migration."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        kind = AddIndex if schema_editor.connection.in_atomic_block else AddIndexConcurrently
        kind.database_forwards(self, app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        kind = AddIndex if schema_editor.connection.in_atomic_block else AddIndexConcurrently
        kind.database_backwards(self, app_label, schema_editor, from_state, to_state)


class RemoveIndexWhileWriting(RemoveIndexConcurrently):
    """The counterpart of AddIndexWhileWriting."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        kind = RemoveIndex if schema_editor.connection.in_atomic_block else RemoveIndexConcurrently
        kind.database_forwards(self, app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        kind = RemoveIndex if schema_editor.connection.in_atomic_block else RemoveIndexConcurrently
        kind.database_backwards(self, app_label, schema_editor, from_state, to_state)
