"""Add and remove indexes while rows are being written; in a transaction, as where a backup is restored, as usual."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db.migrations.operations import AddConstraint, AddIndex, RemoveIndex


class _WhileWriting:
    """PostgreSQL changes an index beside writers outside transactions only: `atomic = False` in the migration."""

    in_transaction: ClassVar[Any]
    outside: ClassVar[Any]

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        self._way(schema_editor).database_forwards(self, app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        self._way(schema_editor).database_backwards(self, app_label, schema_editor, from_state, to_state)

    def _way(self, schema_editor: Any) -> Any:
        return self.in_transaction if schema_editor.connection.in_atomic_block else self.outside


class AddIndexWhileWriting(_WhileWriting, AddIndexConcurrently):
    in_transaction, outside = AddIndex, AddIndexConcurrently


class RemoveIndexWhileWriting(_WhileWriting, RemoveIndexConcurrently):
    in_transaction, outside = RemoveIndex, RemoveIndexConcurrently


class AddUniqueWhileWriting(AddConstraint):
    """Add a unique constraint with a condition, which is an index."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        if schema_editor.connection.in_atomic_block:
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        model = to_state.apps.get_model(app_label, self.model_name)
        if self.allow_migrate_model(schema_editor.connection.alias, model):
            created = str(self.constraint.create_sql(model, schema_editor))
            schema_editor.execute(created.replace("CREATE UNIQUE INDEX", "CREATE UNIQUE INDEX CONCURRENTLY", 1))
