"""Indexes for looking for devices by any fact, and for lists of large tables in the order of ids or times.

Those of an app and an id take the place of the plain ones that a foreign key has. They are built while rows come in.
"""

import django.contrib.postgres.indexes
import django.db.models.deletion
from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ('devices_app', '0004_gateways'),
    ]

    operations = [
        RemoveIndexConcurrently(
            model_name='device',
            name='device_revoked',
        ),
        AddIndexConcurrently(
            model_name='device',
            index=models.Index(fields=['app', '-id'], name='device_of_app'),
        ),
        AddIndexConcurrently(
            model_name='device',
            index=models.Index(condition=models.Q(('revoked_at__isnull', False)), fields=['app', '-id'], name='device_revoked'),
        ),
        AddIndexConcurrently(
            model_name='device',
            index=models.Index(fields=['device'], name='device_prefix', opclasses=['varchar_pattern_ops']),
        ),
        AddIndexConcurrently(
            model_name='device',
            index=django.contrib.postgres.indexes.GinIndex(fields=['facts'], name='device_facts', opclasses=['jsonb_path_ops']),
        ),
        AddIndexConcurrently(
            model_name='device',
            index=django.contrib.postgres.indexes.GinIndex(fields=['trusted'], name='device_trusted', opclasses=['jsonb_path_ops']),
        ),
        AddIndexConcurrently(
            model_name='exposure',
            index=models.Index(fields=['app', '-id'], name='exposure_of_app'),
        ),
        AddIndexConcurrently(
            model_name='report',
            index=models.Index(fields=['app', '-id'], name='report_of_app'),
        ),
        AddIndexConcurrently(
            model_name='report',
            index=models.Index(fields=['app', 'device', '-received_at'], name='report_of_device'),
        ),
        AddIndexConcurrently(
            model_name='userfacts',
            index=django.contrib.postgres.indexes.GinIndex(fields=['facts'], name='user_facts_held', opclasses=['jsonb_path_ops']),
        ),
        migrations.AlterField(
            model_name='device',
            name='app',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='devices', to='devices_app.app'),
        ),
        migrations.AlterField(
            model_name='exposure',
            name='app',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='exposures', to='devices_app.app'),
        ),
        migrations.AlterField(
            model_name='report',
            name='app',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='reports', to='devices_app.app'),
        ),
    ]
