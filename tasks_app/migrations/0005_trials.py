"""Releases gain stages with verdicts; those made before had one step, which took every eligible device at once."""

import django.db.models.deletion
import walle.release.states
from django.db import migrations, models


# One step as before: no simulation, no waiting, no control group.
_ONE_STEP = """
UPDATE tasks_app_stage SET kind = 'gray', share = 1000000;
UPDATE tasks_app_release SET strategy = '{
    "simulation": false, "control_percent": 0, "stages": [{"kind": "gray", "percent": 100, "dwell_s": 0, "evidence": 0}]
}'::jsonb, position = CASE WHEN state = 'draft' THEN NULL ELSE 0 END;
UPDATE tasks_app_release SET resumes = 'running' WHERE state = 'paused'
"""
_WRITTEN_ONCE = """
CREATE TRIGGER {name}_is_written_once BEFORE UPDATE OR DELETE ON tasks_app_{name}
FOR EACH ROW EXECUTE FUNCTION walle_refuse_change()
"""


def _written_once(name: str) -> migrations.RunSQL:
    undo = f"DROP TRIGGER {name}_is_written_once ON tasks_app_{name}"
    return migrations.RunSQL(_WRITTEN_ONCE.format(name=name), undo)


class Migration(migrations.Migration):

    dependencies = [
        ('devices_app', '0002_trials'),
        ('tasks_app', '0004_shared_files_have_content'),
    ]

    operations = [
        migrations.CreateModel(
            name='Quarantine',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.TextField()),
                ('by', models.CharField(max_length=150)),
                ('at', models.DateTimeField()),
            ],
            options={
                'ordering': ['-at'],
            },
        ),
        migrations.CreateModel(
            name='StoredVerdict',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('pass', 'Pass'), ('fail', 'Fail'), ('error', 'Error'), ('inconclusive', 'Inconclusive')], max_length=12)),
                ('sentence', models.TextField()),
                ('evidence', models.JSONField()),
                ('at', models.DateTimeField()),
            ],
            options={
                'ordering': ['release', 'id'],
            },
        ),
        migrations.RemoveConstraint(
            model_name='release',
            name='release_state_known',
        ),
        migrations.AddField(
            model_name='release',
            name='baseline',
            field=models.JSONField(default=dict),
        ),
        migrations.AddField(
            model_name='release',
            name='clock_s',
            field=models.FloatField(default=0),
        ),
        migrations.AddField(
            model_name='release',
            name='clock_since',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='release',
            name='position',
            field=models.PositiveSmallIntegerField(help_text='the stage it is in, counted from 0', null=True),
        ),
        migrations.AddField(
            model_name='release',
            name='resumes',
            field=models.CharField(blank=True, choices=[('draft', 'draft'), ('simulating', 'simulating'), ('awaiting-approval', 'awaiting-approval'), ('running', 'running'), ('paused', 'paused'), ('complete', 'complete'), ('rejected', 'rejected'), ('superseded', 'superseded'), ('aborted', 'aborted'), ('rolled-back', 'rolled-back')], help_text='where a pause resumes', max_length=17),
        ),
        migrations.AddField(
            model_name='release',
            name='strategy',
            field=models.JSONField(default=dict, help_text='stages, limits and pace'),
        ),
        migrations.AddField(
            model_name='release',
            name='superseded_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='superseded', to='tasks_app.release'),
        ),
        migrations.AddField(
            model_name='release',
            name='superseded_from',
            field=models.CharField(blank=True, choices=[('draft', 'draft'), ('simulating', 'simulating'), ('awaiting-approval', 'awaiting-approval'), ('running', 'running'), ('paused', 'paused'), ('complete', 'complete'), ('rejected', 'rejected'), ('superseded', 'superseded'), ('aborted', 'aborted'), ('rolled-back', 'rolled-back')], max_length=17),
        ),
        migrations.AddField(
            model_name='stage',
            name='entered_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='stage',
            name='id_list',
            field=models.CharField(blank=True, max_length=40),
        ),
        migrations.AddField(
            model_name='stage',
            name='left_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='transition',
            name='position_after',
            field=models.PositiveSmallIntegerField(null=True),
        ),
        migrations.AddField(
            model_name='transition',
            name='position_before',
            field=models.PositiveSmallIntegerField(null=True),
        ),
        migrations.AlterField(
            model_name='release',
            name='state',
            field=models.CharField(choices=[('draft', 'draft'), ('simulating', 'simulating'), ('awaiting-approval', 'awaiting-approval'), ('running', 'running'), ('paused', 'paused'), ('complete', 'complete'), ('rejected', 'rejected'), ('superseded', 'superseded'), ('aborted', 'aborted'), ('rolled-back', 'rolled-back')], default=walle.release.states.ReleaseState['DRAFT'], max_length=17),
        ),
        migrations.AlterField(
            model_name='stage',
            name='kind',
            field=models.CharField(choices=[('beta', 'Beta'), ('gray', 'Gray')], max_length=10),
        ),
        migrations.AlterField(
            model_name='transition',
            name='action',
            field=models.CharField(choices=[('start', 'start'), ('pass', 'pass'), ('approve', 'approve'), ('reject', 'reject'), ('promote', 'promote'), ('complete', 'complete'), ('pause', 'pause'), ('resume', 'resume'), ('abort', 'abort'), ('roll-back', 'roll-back'), ('supersede', 'supersede'), ('restore', 'restore')], max_length=10),
        ),
        migrations.AlterField(
            model_name='transition',
            name='after',
            field=models.CharField(choices=[('draft', 'draft'), ('simulating', 'simulating'), ('awaiting-approval', 'awaiting-approval'), ('running', 'running'), ('paused', 'paused'), ('complete', 'complete'), ('rejected', 'rejected'), ('superseded', 'superseded'), ('aborted', 'aborted'), ('rolled-back', 'rolled-back')], max_length=17),
        ),
        migrations.AlterField(
            model_name='transition',
            name='before',
            field=models.CharField(choices=[('draft', 'draft'), ('simulating', 'simulating'), ('awaiting-approval', 'awaiting-approval'), ('running', 'running'), ('paused', 'paused'), ('complete', 'complete'), ('rejected', 'rejected'), ('superseded', 'superseded'), ('aborted', 'aborted'), ('rolled-back', 'rolled-back')], max_length=17),
        ),
        migrations.RunSQL(_ONE_STEP, migrations.RunSQL.noop),
        migrations.AddConstraint(
            model_name='release',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['draft', 'simulating', 'awaiting-approval', 'running', 'paused', 'complete', 'rejected', 'superseded', 'aborted', 'rolled-back'])), name='release_state_known'),
        ),
        migrations.AddConstraint(
            model_name='release',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state__in', ['running', 'complete']), _negated=True), ('position__isnull', False), _connector='OR'), name='release_running_has_position'),
        ),
        migrations.AddField(
            model_name='quarantine',
            name='release',
            field=models.ForeignKey(help_text='that was rolled back', on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tasks_app.release'),
        ),
        migrations.AddField(
            model_name='quarantine',
            name='version',
            field=models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='quarantine', to='tasks_app.taskversion'),
        ),
        migrations.AddField(
            model_name='storedverdict',
            name='release',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='verdicts', to='tasks_app.release'),
        ),
        migrations.AddField(
            model_name='storedverdict',
            name='stage',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='verdicts', to='tasks_app.stage'),
        ),
        _written_once("transition"),
        _written_once("storedverdict"),
    ]
