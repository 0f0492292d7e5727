"""Simulations before a release; what came of a cell never changes."""

import django.core.serializers.json
import django.db.models.deletion
from django.db import migrations, models


_FINISHED_IS_KEPT = """
CREATE TRIGGER simulation_cell_is_kept BEFORE UPDATE ON tasks_app_simulationcell
FOR EACH ROW WHEN (OLD.state <> 'pending') EXECUTE FUNCTION walle_refuse_change()
"""


class Migration(migrations.Migration):

    dependencies = [
        ('tasks_app', '0005_trials'),
    ]

    operations = [
        migrations.CreateModel(
            name='SimulationCell',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('attempt', models.PositiveSmallIntegerField()),
                ('app_version', models.CharField(blank=True, max_length=64)),
                ('os', models.CharField(blank=True, max_length=40)),
                ('os_version', models.CharField(blank=True, max_length=32)),
                ('profile', models.JSONField(default=dict)),
                ('state', models.CharField(choices=[('pending', 'Pending'), ('passed', 'Passed'), ('failed', 'Failed'), ('excluded', 'Excluded'), ('error', 'Error')], default='pending', max_length=8)),
                ('sentence', models.TextField(blank=True)),
                ('result', models.JSONField(default=dict, encoder=django.core.serializers.json.DjangoJSONEncoder, help_text='limits, and what came of each sample')),
                ('logs', models.TextField(blank=True)),
                ('started_at', models.DateTimeField(null=True)),
                ('finished_at', models.DateTimeField(null=True)),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='simulation_cells', to='tasks_app.release')),
            ],
            options={
                'ordering': ['release', 'attempt', 'id'],
                'indexes': [models.Index(condition=models.Q(('state', 'pending')), fields=['id'], name='simulation_cells_pending')],
                'constraints': [models.UniqueConstraint(fields=('release', 'attempt', 'app_version', 'os', 'os_version'), name='simulation_cell_once'), models.CheckConstraint(condition=models.Q(('state__in', ['pending', 'passed', 'failed', 'excluded', 'error'])), name='simulation_cell_state_known'), models.CheckConstraint(condition=models.Q(models.Q(('finished_at', None), ('state', 'pending')), models.Q(models.Q(('state', 'pending'), _negated=True), ('finished_at__isnull', False)), _connector='OR'), name='simulation_cell_finished_has_time')],
            },
        ),
        migrations.RunSQL(_FINISHED_IS_KEPT, "DROP TRIGGER simulation_cell_is_kept ON tasks_app_simulationcell"),
    ]
