import django.core.serializers.json
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Job',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=100)),
                ('arguments', models.JSONField(default=dict, encoder=django.core.serializers.json.DjangoJSONEncoder)),
                ('dedupe_key', models.CharField(blank=True, default='', help_text='At most one pending job has this key; empty: none.', max_length=200)),
                ('account', models.CharField(blank=True, default='', help_text='For whom it is done, where many share workers; empty: none.', max_length=80)),
                ('state', models.CharField(choices=[('pending', 'Pending'), ('running', 'Running'), ('succeeded', 'Succeeded'), ('failed', 'Failed')], default='pending', max_length=9)),
                ('run_at', models.DateTimeField(help_text='Not started before this time.')),
                ('attempts', models.PositiveSmallIntegerField(default=0, help_text='How often a worker has started it.')),
                ('spent_s', models.FloatField(default=0, help_text='Seconds that former attempts took.')),
                ('max_attempts', models.PositiveSmallIntegerField(default=5)),
                ('lease_owner', models.CharField(blank=True, default='', max_length=120)),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
                ('result', models.JSONField(blank=True, encoder=django.core.serializers.json.DjangoJSONEncoder, null=True)),
                ('error', models.TextField(blank=True, default='', help_text='What went wrong the last time.')),
                ('request_id', models.CharField(blank=True, default='', help_text='The request that asked for it first; empty: none did.', max_length=64)),
                ('created_at', models.DateTimeField()),
                ('started_at', models.DateTimeField(blank=True, help_text='When the last attempt began.', null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['-id'],
                'indexes': [models.Index(condition=models.Q(('state', 'pending')), fields=['run_at', 'id'], name='jobs_due'), models.Index(condition=models.Q(('state', 'running')), fields=['lease_until'], name='jobs_leases'), models.Index(condition=models.Q(('dedupe_key', ''), _negated=True), fields=['dedupe_key', '-id'], name='jobs_by_key'), models.Index(condition=models.Q(('state__in', ('succeeded', 'failed'))), fields=['finished_at'], name='jobs_finished'), models.Index(condition=models.Q(('account', ''), _negated=True), fields=['kind', 'account', 'finished_at'], name='jobs_by_account')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('state', 'pending'), models.Q(('dedupe_key', ''), _negated=True)), fields=('dedupe_key',), name='jobs_one_pending_per_key'), models.CheckConstraint(condition=models.Q(('state__in', ['pending', 'running', 'succeeded', 'failed'])), name='jobs_known_state'), models.CheckConstraint(condition=models.Q(models.Q(('lease_until__isnull', False), ('state', 'running'), models.Q(('lease_owner', ''), _negated=True)), models.Q(models.Q(('state', 'running'), _negated=True), ('lease_owner', ''), ('lease_until__isnull', True)), _connector='OR'), name='jobs_running_means_leased'), models.CheckConstraint(condition=models.Q(models.Q(('finished_at__isnull', False), ('state__in', ('succeeded', 'failed'))), models.Q(models.Q(('state__in', ('succeeded', 'failed')), _negated=True), ('finished_at__isnull', True)), _connector='OR'), name='jobs_finished_has_time'), models.CheckConstraint(condition=models.Q(('attempts__lte', models.F('max_attempts'))), name='jobs_attempts_bounded')],
            },
        ),
        migrations.CreateModel(
            name='Worker',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('host', models.CharField(max_length=120)),
                ('pid', models.PositiveIntegerField()),
                ('queue', models.CharField(max_length=60)),
                ('started_at', models.DateTimeField()),
                ('seen_at', models.DateTimeField()),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('host', 'pid'), name='worker_once')],
            },
        ),
    ]
