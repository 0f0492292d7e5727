"""SQL triggers that make the history of a release and the results of a simulation immutable."""

from django.db import migrations

TRANSITION = """
CREATE TRIGGER transition_is_written_once BEFORE UPDATE OR DELETE ON releases_app_transition
FOR EACH ROW EXECUTE FUNCTION walle_refuse_change()
"""
VERDICT = """
CREATE TRIGGER storedverdict_is_written_once BEFORE UPDATE OR DELETE ON releases_app_storedverdict
FOR EACH ROW EXECUTE FUNCTION walle_refuse_change()
"""
CELL = """
CREATE TRIGGER simulation_cell_is_kept BEFORE UPDATE ON releases_app_simulationcell
FOR EACH ROW WHEN (OLD.state <> 'pending') EXECUTE FUNCTION walle_refuse_change()
"""

OPERATIONS = [
    migrations.RunSQL(TRANSITION, "DROP TRIGGER transition_is_written_once ON releases_app_transition"),
    migrations.RunSQL(VERDICT, "DROP TRIGGER storedverdict_is_written_once ON releases_app_storedverdict"),
    migrations.RunSQL(CELL, "DROP TRIGGER simulation_cell_is_kept ON releases_app_simulationcell"),
]
