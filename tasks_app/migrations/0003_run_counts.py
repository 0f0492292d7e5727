"""Counts of runs by task and class of devices. Their rows are written over again and again: pages keep room for that."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

ROOM = "ALTER TABLE tasks_app_runcount SET (fillfactor = 50)"


class Migration(migrations.Migration):

    dependencies = [
        ('devices_app', '0003_report_start'),
        ('tasks_app', '0002_bytecode'),
    ]

    operations = [
        migrations.CreateModel(
            name='RunCount',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(help_text='when the six hours began, by the clock of the gateways')),
                ('os', models.CharField(blank=True, max_length=20)),
                ('performance', models.CharField(blank=True, max_length=20)),
                ('warm', models.BooleanField()),
                ('runs', models.PositiveBigIntegerField()),
                ('failed', models.PositiveBigIntegerField()),
                ('durations', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
                ('memory', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
                ('vm_ends', models.JSONField(default=dict)),
                ('app', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='devices_app.app')),
                ('task', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tasks_app.task')),
            ],
            options={
                'indexes': [models.Index(fields=['at'], name='run_count_by_age')],
                'constraints': [models.UniqueConstraint(fields=('task', 'at', 'app', 'os', 'performance', 'warm'), name='run_count_once'), models.CheckConstraint(condition=models.Q(('failed__lte', models.F('runs'))), name='run_count_failed_part')],
            },
        ),
        migrations.RunSQL(ROOM, migrations.RunSQL.noop),
    ]
