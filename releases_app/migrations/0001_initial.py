import django.core.serializers.json
import django.db.models.deletion
import walle.release.states
from django.conf import settings
from django.db import migrations, models

from releases_app.migrations import _triggers


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('kit', '0001_initial'),
        ('devices_app', '0001_initial'),
        ('tasks_app', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='KeptFigures',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('release', models.BigIntegerField(unique=True)),
                ('drawn', models.PositiveIntegerField(help_text='exposures that were counted')),
                ('figures', models.JSONField()),
                ('series', models.JSONField(help_text='the counts over time; empty: not counted since Walle knows of it', null=True)),
                ('counted_at', models.DateTimeField()),
                ('took_s', models.FloatField(help_text='how long that took')),
            ],
        ),
        migrations.CreateModel(
            name='PaceWindow',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('release', models.BigIntegerField(unique=True)),
                ('second', models.BigIntegerField(help_text='Unix seconds')),
                ('leased', models.PositiveIntegerField()),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('leased__gte', 0)), name='pace_leased_positive')],
            },
        ),
        migrations.CreateModel(
            name='Release',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('rule', models.JSONField(help_text='targeting rule: which devices are eligible')),
                ('strategy', models.JSONField(default=dict, help_text='stages, limits and pace')),
                ('salt', models.BinaryField(help_text='16 bytes that order the devices of this release')),
                ('state', models.CharField(choices=[('draft', 'draft'), ('simulating', 'simulating'), ('awaiting-approval', 'awaiting-approval'), ('running', 'running'), ('paused', 'paused'), ('complete', 'complete'), ('rejected', 'rejected'), ('superseded', 'superseded'), ('aborted', 'aborted'), ('rolled-back', 'rolled-back')], default=walle.release.states.ReleaseState['DRAFT'], max_length=17)),
                ('position', models.PositiveSmallIntegerField(help_text='the stage it is in, counted from 0', null=True)),
                ('resumes', models.CharField(blank=True, choices=[('draft', 'draft'), ('simulating', 'simulating'), ('awaiting-approval', 'awaiting-approval'), ('running', 'running'), ('paused', 'paused'), ('complete', 'complete'), ('rejected', 'rejected'), ('superseded', 'superseded'), ('aborted', 'aborted'), ('rolled-back', 'rolled-back')], help_text='where a pause resumes', max_length=17)),
                ('clock_s', models.FloatField(default=0)),
                ('clock_since', models.DateTimeField(null=True)),
                ('baseline', models.JSONField(default=dict)),
                ('superseded_from', models.CharField(blank=True, choices=[('draft', 'draft'), ('simulating', 'simulating'), ('awaiting-approval', 'awaiting-approval'), ('running', 'running'), ('paused', 'paused'), ('complete', 'complete'), ('rejected', 'rejected'), ('superseded', 'superseded'), ('aborted', 'aborted'), ('rolled-back', 'rolled-back')], max_length=17)),
                ('created_by', models.CharField(max_length=150)),
                ('created_at', models.DateTimeField()),
                ('app', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='releases', to='devices_app.app')),
                ('superseded_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='superseded', to='releases_app.release')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='releases', to='tasks_app.taskversion')),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='Quarantine',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.TextField()),
                ('by', models.CharField(max_length=150)),
                ('at', models.DateTimeField()),
                ('version', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='quarantine', to='tasks_app.taskversion')),
                ('release', models.ForeignKey(help_text='that was rolled back', on_delete=django.db.models.deletion.PROTECT, related_name='+', to='releases_app.release')),
            ],
            options={
                'ordering': ['-at'],
            },
        ),
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
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='simulation_cells', to='releases_app.release')),
            ],
            options={
                'ordering': ['release', 'attempt', 'id'],
            },
        ),
        migrations.CreateModel(
            name='Stage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField()),
                ('kind', models.CharField(choices=[('beta', 'Beta'), ('gray', 'Gray')], max_length=10)),
                ('share', models.PositiveIntegerField(default=1000000)),
                ('id_list', models.CharField(blank=True, max_length=40)),
                ('entered_at', models.DateTimeField(null=True)),
                ('left_at', models.DateTimeField(null=True)),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='stages', to='releases_app.release')),
            ],
            options={
                'ordering': ['release', 'position'],
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
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='verdicts', to='releases_app.release')),
                ('stage', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='verdicts', to='releases_app.stage')),
            ],
            options={
                'ordering': ['release', 'id'],
            },
        ),
        migrations.CreateModel(
            name='Transition',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('action', models.CharField(choices=[('start', 'start'), ('pass', 'pass'), ('approve', 'approve'), ('reject', 'reject'), ('promote', 'promote'), ('complete', 'complete'), ('pause', 'pause'), ('resume', 'resume'), ('abort', 'abort'), ('roll-back', 'roll-back'), ('supersede', 'supersede'), ('restore', 'restore')], max_length=10)),
                ('before', models.CharField(choices=[('draft', 'draft'), ('simulating', 'simulating'), ('awaiting-approval', 'awaiting-approval'), ('running', 'running'), ('paused', 'paused'), ('complete', 'complete'), ('rejected', 'rejected'), ('superseded', 'superseded'), ('aborted', 'aborted'), ('rolled-back', 'rolled-back')], max_length=17)),
                ('after', models.CharField(choices=[('draft', 'draft'), ('simulating', 'simulating'), ('awaiting-approval', 'awaiting-approval'), ('running', 'running'), ('paused', 'paused'), ('complete', 'complete'), ('rejected', 'rejected'), ('superseded', 'superseded'), ('aborted', 'aborted'), ('rolled-back', 'rolled-back')], max_length=17)),
                ('position_before', models.PositiveSmallIntegerField(null=True)),
                ('position_after', models.PositiveSmallIntegerField(null=True)),
                ('actor_name', models.CharField(max_length=150)),
                ('reason', models.TextField(blank=True)),
                ('evidence', models.JSONField(default=dict)),
                ('at', models.DateTimeField()),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='transitions', to='releases_app.release')),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['release', 'id'],
            },
        ),
        migrations.CreateModel(
            name='DeliveryGrant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('complete_early', models.BooleanField(default=False, help_text='may also skip what a stage waits for, with a reason that is recorded')),
                ('note', models.CharField(blank=True, help_text='why, in the words of who granted it', max_length=500)),
                ('granted_by', models.CharField(max_length=150)),
                ('granted_at', models.DateTimeField()),
                ('app', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='delivery_grants', to='devices_app.app')),
                ('scenario', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='delivery_grants', to='tasks_app.scenario')),
            ],
            options={
                'ordering': ['app__slug', 'scenario__slug'],
                'constraints': [models.UniqueConstraint(fields=('app', 'scenario'), name='delivery_granted_once')],
            },
        ),
        migrations.CreateModel(
            name='Exposure',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('release', models.BigIntegerField()),
                ('stage', models.BigIntegerField(help_text='the stage during which the device was drawn')),
                ('task', models.CharField(max_length=81)),
                ('device', models.CharField(max_length=64)),
                ('arm', models.CharField(choices=[('treatment', 'Treatment'), ('control', 'Control')], max_length=9)),
                ('bucket', models.PositiveIntegerField(help_text="where the device stands in the release's order, 0..999999")),
                ('vouched', models.BooleanField(db_default=False, default=False)),
                ('first_seen', models.DateTimeField(help_text="when the app's registry first knew of the device", null=True)),
                ('drawn_at', models.DateTimeField()),
                ('offered_at', models.DateTimeField(null=True)),
                ('number', models.BigIntegerField(help_text='of the table under which it was offered', null=True)),
                ('installed_at', models.DateTimeField(null=True)),
                ('reported_at', models.DateTimeField(help_text="of the report that settled it, by the device's clock", null=True)),
                ('outcome', models.CharField(blank=True, choices=[('', 'open'), ('success', 'Success'), ('failure', 'Failure')], default='', max_length=7)),
                ('error_class', models.CharField(blank=True, max_length=80)),
                ('settled_at', models.DateTimeField(null=True)),
                ('duration_ms', models.FloatField(null=True)),
                ('metrics', models.JSONField(default=dict)),
                ('silent', models.BooleanField(null=True)),
                ('app', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='exposures', to='devices_app.app')),
            ],
            options={
                'indexes': [models.Index(fields=['app', '-id'], name='exposure_of_app'), models.Index(fields=['device', 'task'], name='exposure_of_device'), models.Index(condition=models.Q(('silent', None)), fields=['release', 'drawn_at'], name='exposure_unheard'), models.Index(condition=models.Q(('first_seen', None)), fields=['release'], name='exposure_unregistered')],
                'constraints': [models.UniqueConstraint(fields=('release', 'device'), name='exposure_once'), models.CheckConstraint(condition=models.Q(('arm__in', ['treatment', 'control'])), name='exposure_arm_known'), models.CheckConstraint(condition=models.Q(('outcome__in', ['', 'success', 'failure'])), name='exposure_outcome_known'), models.CheckConstraint(condition=models.Q(('bucket__range', (0, 999999))), name='exposure_bucket_range'), models.CheckConstraint(condition=models.Q(models.Q(('outcome', ''), ('settled_at', None)), models.Q(models.Q(('outcome', ''), _negated=True), ('settled_at__isnull', False)), _connector='OR'), name='exposure_settled_with_outcome')],
            },
        ),
        migrations.AddIndex(
            model_name='release',
            index=models.Index(fields=['app', 'state'], name='releases_ap_app_id_4649ae_idx'),
        ),
        migrations.AddConstraint(
            model_name='release',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['draft', 'simulating', 'awaiting-approval', 'running', 'paused', 'complete', 'rejected', 'superseded', 'aborted', 'rolled-back'])), name='release_state_known'),
        ),
        migrations.AddConstraint(
            model_name='release',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state__in', ['running', 'complete']), _negated=True), ('position__isnull', False), _connector='OR'), name='release_running_has_position'),
        ),
        migrations.AddIndex(
            model_name='simulationcell',
            index=models.Index(condition=models.Q(('state', 'pending')), fields=['id'], name='simulation_cells_pending'),
        ),
        migrations.AddConstraint(
            model_name='simulationcell',
            constraint=models.UniqueConstraint(fields=('release', 'attempt', 'app_version', 'os', 'os_version'), name='simulation_cell_once'),
        ),
        migrations.AddConstraint(
            model_name='simulationcell',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['pending', 'passed', 'failed', 'excluded', 'error'])), name='simulation_cell_state_known'),
        ),
        migrations.AddConstraint(
            model_name='simulationcell',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('finished_at', None), ('state', 'pending')), models.Q(models.Q(('state', 'pending'), _negated=True), ('finished_at__isnull', False)), _connector='OR'), name='simulation_cell_finished_has_time'),
        ),
        migrations.AddConstraint(
            model_name='stage',
            constraint=models.UniqueConstraint(fields=('release', 'position'), name='stage_once'),
        ),
        migrations.AddConstraint(
            model_name='stage',
            constraint=models.CheckConstraint(condition=models.Q(('share__range', (0, 1000000))), name='stage_share_range'),
        ),
        *_triggers.OPERATIONS,
    ]
