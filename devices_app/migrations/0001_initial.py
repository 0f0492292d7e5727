import django.contrib.postgres.indexes
import django.core.serializers.json
import django.core.validators
import django.db.models.deletion
from django.db import migrations, models

from devices_app.migrations import _functions


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('kit', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Root',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.PositiveIntegerField(unique=True)),
                ('metadata', models.BinaryField()),
                ('expires_at', models.DateTimeField()),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['-version'],
            },
        ),
        migrations.CreateModel(
            name='App',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.CharField(max_length=40, unique=True, validators=[django.core.validators.RegexValidator('^[a-z][a-z0-9-]{0,39}$', 'expected a lowercase letter, then up to 39 of a-z, 0-9 and -')])),
                ('name', models.CharField(max_length=80)),
                ('check_in_interval', models.PositiveIntegerField(default=60, help_text='seconds between two check-ins of an idle device', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(86400)])),
                ('enrolment_limit', models.PositiveIntegerField(blank=True, help_text="new devices that may enrol with an app key per hour and gateway process; empty: the server's", null=True, validators=[django.core.validators.MaxValueValidator(100000000)])),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'ordering': ['slug'],
                'constraints': [models.CheckConstraint(condition=models.Q(('slug__regex', '^[a-z][a-z0-9-]{0,39}$')), name='app_slug_format'), models.CheckConstraint(condition=models.Q(('check_in_interval__range', (1, 86400))), name='app_interval_range'), models.CheckConstraint(condition=models.Q(('enrolment_limit__lte', 100000000)), name='app_enrolment_range')],
            },
        ),
        migrations.CreateModel(
            name='Device',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('device', models.CharField(max_length=64)),
                ('claims', models.CharField(help_text='hash of facts and profile as they were said', max_length=16)),
                ('facts', models.JSONField(default=dict)),
                ('trusted', models.JSONField(default=dict)),
                ('profile', models.JSONField(default=dict, help_text='task name to the first 24 hex digits of its manifest')),
                ('first_seen', models.DateTimeField()),
                ('last_seen', models.DateTimeField()),
                ('vouched_at', models.DateTimeField(blank=True, help_text="since when the app's backend vouches for it", null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('app', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='devices', to='devices_app.app')),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='FleetCount',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('known', models.PositiveIntegerField()),
                ('online', models.PositiveIntegerField()),
                ('with_tasks', models.PositiveIntegerField(help_text='that have any task')),
                ('app_versions', models.JSONField(help_text='of each: app_version, known, online, with_tasks')),
                ('systems', models.JSONField(help_text='of each: os, os_version, known, online, with_tasks')),
                ('installed', models.JSONField(help_text='of each: task, manifest (24 hex digits), devices')),
                ('counted_at', models.DateTimeField()),
                ('took_s', models.FloatField(help_text='how long it took to count all apps')),
                ('app', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='devices_app.app')),
            ],
        ),
        migrations.CreateModel(
            name='GatewayRevision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('revision', models.BigIntegerField(default=0)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('id', 1)), name='gateway_revision_single')],
            },
        ),
        migrations.CreateModel(
            name='IdList',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=40, validators=[django.core.validators.RegexValidator('^[a-z][a-z0-9-]{0,39}$')])),
                ('description', models.CharField(blank=True, max_length=200)),
                ('size', models.PositiveIntegerField(default=0, editable=False, help_text='number of devices')),
                ('updated_at', models.DateTimeField()),
                ('updated_by', models.CharField(max_length=150)),
                ('app', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='id_lists', to='devices_app.app')),
            ],
            options={
                'ordering': ['app', 'name'],
            },
        ),
        migrations.CreateModel(
            name='IdListMember',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('device', models.CharField(max_length=64)),
                ('id_list', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='members', to='devices_app.idlist')),
            ],
        ),
        migrations.CreateModel(
            name='InstalledTask',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('task', models.CharField(max_length=81)),
                ('manifest', models.CharField(max_length=24)),
                ('since', models.DateTimeField()),
                ('device', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='installed', to='devices_app.device')),
            ],
        ),
        migrations.CreateModel(
            name='PublishedTable',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.BigIntegerField()),
                ('envelope', models.BinaryField(help_text='signed table')),
                ('published_at', models.DateTimeField()),
                ('app', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='table', to='devices_app.app')),
            ],
        ),
        migrations.CreateModel(
            name='Pulse',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(help_text='when the five seconds began')),
                ('check_ins', models.PositiveBigIntegerField(default=0)),
                ('offers', models.PositiveBigIntegerField(default=0)),
                ('installs', models.PositiveBigIntegerField(default=0)),
                ('failures', models.PositiveBigIntegerField(default=0)),
                ('registered', models.PositiveBigIntegerField(default=0)),
                ('enrolled_by_key', models.PositiveBigIntegerField(default=0)),
                ('enrolled_by_statement', models.PositiveBigIntegerField(default=0)),
                ('enrolments_refused', models.PositiveBigIntegerField(default=0)),
                ('app', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='devices_app.app')),
            ],
        ),
        migrations.CreateModel(
            name='RegionBase',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('region', models.CharField(blank=True, max_length=40)),
                ('shared', models.URLField(help_text='base URL of shared files (a CDN in front of /walle/v1)')),
                ('exclusive', models.URLField(help_text='base URL of exclusive files')),
                ('app', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='bases', to='devices_app.app')),
            ],
            options={
                'ordering': ['app', 'region'],
            },
        ),
        migrations.CreateModel(
            name='Report',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('device', models.CharField(max_length=64)),
                ('report_id', models.UUIDField()),
                ('task', models.CharField(max_length=81)),
                ('version', models.CharField(max_length=64)),
                ('manifest', models.CharField(max_length=64)),
                ('kind', models.CharField(choices=[('install', 'install'), ('run', 'run'), ('remove', 'remove')], max_length=7)),
                ('outcome', models.CharField(choices=[('success', 'success'), ('failure', 'failure')], max_length=7)),
                ('error_class', models.CharField(blank=True, max_length=80)),
                ('message', models.TextField(blank=True)),
                ('duration_ms', models.FloatField(null=True)),
                ('peak_memory_kb', models.BigIntegerField(null=True)),
                ('metrics', models.JSONField(default=dict)),
                ('output', models.JSONField(null=True)),
                ('release', models.BigIntegerField(null=True)),
                ('stage', models.BigIntegerField(null=True)),
                ('number', models.BigIntegerField(null=True)),
                ('evidence', models.BooleanField()),
                ('reported_at', models.DateTimeField(help_text="by the device's clock")),
                ('received_at', models.DateTimeField()),
                ('app', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='reports', to='devices_app.app')),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='ServerKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('purpose', models.CharField(choices=[('root', 'Root'), ('manifest', 'Manifest'), ('assignment', 'Assignment'), ('device', 'Device')], max_length=10)),
                ('key_id', models.CharField(max_length=64, unique=True)),
                ('secret', models.BinaryField(help_text='encrypted')),
                ('state', models.CharField(choices=[('active', 'Active'), ('accepted', 'Accepted'), ('retired', 'Retired')], default='active', max_length=8)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['purpose', '-created_at', '-id'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('state', 'active')), fields=('purpose',), name='server_key_one_active'), models.UniqueConstraint(condition=models.Q(('state', 'accepted')), fields=('purpose',), name='server_key_one_accepted')],
            },
        ),
        migrations.CreateModel(
            name='UserFacts',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('device', models.CharField(max_length=64)),
                ('facts', models.JSONField(encoder=django.core.serializers.json.DjangoJSONEncoder)),
                ('updated_at', models.DateTimeField()),
                ('app', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='user_facts', to='devices_app.app')),
            ],
            options={
                'verbose_name_plural': 'user facts',
            },
        ),
        migrations.CreateModel(
            name='AppFact',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(help_text='without the prefix `user.` of user-side facts', max_length=40, validators=[django.core.validators.RegexValidator('^[a-z][a-z0-9_-]{0,39}$')])),
                ('type', models.CharField(choices=[('text', 'Text'), ('number', 'Number'), ('boolean', 'Boolean'), ('version', 'Version')], max_length=7)),
                ('source', models.CharField(choices=[('device', 'Device'), ('user', 'User')], max_length=6)),
                ('values', models.JSONField(blank=True, default=list)),
                ('description', models.CharField(blank=True, max_length=200)),
                ('app', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='declared_facts', to='devices_app.app')),
            ],
            options={
                'ordering': ['app', 'source', 'name'],
                'constraints': [models.UniqueConstraint(fields=('app', 'source', 'name'), name='fact_once'), models.CheckConstraint(condition=models.Q(('name__regex', '^[a-z][a-z0-9_-]{0,39}$')), name='fact_name_format')],
            },
        ),
        migrations.CreateModel(
            name='AppKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('enrol', 'Enrol'), ('gateway', 'Gateway'), ('backend', 'Backend')], max_length=7)),
                ('label', models.CharField(max_length=80)),
                ('material', models.CharField(help_text='SHA-256 of a secret key, or a raw public key, in hex', max_length=64)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('app', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='keys', to='devices_app.app')),
            ],
            options={
                'ordering': ['app', '-created_at'],
                'constraints': [models.UniqueConstraint(fields=('app', 'material'), name='app_key_once'), models.CheckConstraint(condition=models.Q(('material__regex', '^[0-9a-f]{64}$')), name='app_key_format')],
            },
        ),
        migrations.CreateModel(
            name='AppVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.CharField(max_length=64, validators=[django.core.validators.RegexValidator('^[!-~]{1,64}$')])),
                ('profile', models.JSONField(blank=True, default=dict)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('app', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='versions', to='devices_app.app')),
            ],
            options={
                'ordering': ['app', '-created_at'],
                'constraints': [models.UniqueConstraint(fields=('app', 'version'), name='app_version_once'), models.CheckConstraint(condition=models.Q(('version__regex', '^[!-~]{1,64}$')), name='app_version_format')],
            },
        ),
        migrations.AddIndex(
            model_name='device',
            index=models.Index(fields=['app', '-id'], name='device_of_app'),
        ),
        migrations.AddIndex(
            model_name='device',
            index=models.Index(condition=models.Q(('revoked_at__isnull', False)), fields=['app', '-id'], name='device_revoked'),
        ),
        migrations.AddIndex(
            model_name='device',
            index=models.Index(fields=['app', '-first_seen', '-id'], name='device_by_coming'),
        ),
        migrations.AddIndex(
            model_name='device',
            index=models.Index(condition=models.Q(('vouched_at__gt', models.F('first_seen'))), fields=['app', 'vouched_at'], name='device_vouched_late'),
        ),
        migrations.AddIndex(
            model_name='device',
            index=models.Index(fields=['device'], name='device_prefix', opclasses=['varchar_pattern_ops']),
        ),
        migrations.AddIndex(
            model_name='device',
            index=django.contrib.postgres.indexes.GinIndex(fields=['facts'], name='device_facts', opclasses=['jsonb_path_ops']),
        ),
        migrations.AddIndex(
            model_name='device',
            index=django.contrib.postgres.indexes.GinIndex(fields=['trusted'], name='device_trusted', opclasses=['jsonb_path_ops']),
        ),
        migrations.AddConstraint(
            model_name='device',
            constraint=models.UniqueConstraint(fields=('app', 'device'), name='device_once'),
        ),
        migrations.AddConstraint(
            model_name='idlist',
            constraint=models.UniqueConstraint(fields=('app', 'name'), name='id_list_once'),
        ),
        migrations.AddConstraint(
            model_name='idlist',
            constraint=models.CheckConstraint(condition=models.Q(('name__regex', '^[a-z][a-z0-9-]{0,39}$')), name='id_list_name_format'),
        ),
        migrations.AddIndex(
            model_name='idlistmember',
            index=models.Index(fields=['id_list', '-id'], name='member_of_id_list'),
        ),
        migrations.AddConstraint(
            model_name='idlistmember',
            constraint=models.UniqueConstraint(fields=('id_list', 'device'), name='id_list_member_once'),
        ),
        migrations.AddIndex(
            model_name='installedtask',
            index=models.Index(fields=['task', 'manifest'], name='devices_app_task_d7c593_idx'),
        ),
        migrations.AddConstraint(
            model_name='installedtask',
            constraint=models.UniqueConstraint(fields=('device', 'task'), name='installed_once'),
        ),
        migrations.AddConstraint(
            model_name='publishedtable',
            constraint=models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='table_number_positive'),
        ),
        migrations.AddConstraint(
            model_name='pulse',
            constraint=models.UniqueConstraint(fields=('app', 'at'), name='pulse_once'),
        ),
        migrations.AddConstraint(
            model_name='regionbase',
            constraint=models.UniqueConstraint(fields=('app', 'region'), name='region_base_once'),
        ),
        migrations.AddIndex(
            model_name='report',
            index=models.Index(fields=['app', '-id'], name='report_of_app'),
        ),
        migrations.AddIndex(
            model_name='report',
            index=models.Index(fields=['app', 'device', '-received_at'], name='report_of_device'),
        ),
        migrations.AddIndex(
            model_name='report',
            index=models.Index(fields=['release', 'kind', 'outcome'], name='devices_app_release_d2a71f_idx'),
        ),
        migrations.AddIndex(
            model_name='report',
            index=models.Index(fields=['task', 'version', '-id'], name='devices_app_task_3e4fb2_idx'),
        ),
        migrations.AddIndex(
            model_name='report',
            index=models.Index(fields=['-received_at'], name='devices_app_receive_cf1018_idx'),
        ),
        migrations.AddConstraint(
            model_name='report',
            constraint=models.UniqueConstraint(fields=('app', 'device', 'report_id'), name='report_once'),
        ),
        migrations.AddConstraint(
            model_name='report',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['install', 'run', 'remove'])), name='report_kind_known'),
        ),
        migrations.AddConstraint(
            model_name='report',
            constraint=models.CheckConstraint(condition=models.Q(('outcome__in', ['success', 'failure'])), name='report_outcome_known'),
        ),
        migrations.AddIndex(
            model_name='userfacts',
            index=models.Index(fields=['app', 'updated_at'], name='user_facts_changed'),
        ),
        migrations.AddIndex(
            model_name='userfacts',
            index=django.contrib.postgres.indexes.GinIndex(fields=['facts'], name='user_facts_held', opclasses=['jsonb_path_ops']),
        ),
        migrations.AddConstraint(
            model_name='userfacts',
            constraint=models.UniqueConstraint(fields=('app', 'device'), name='user_facts_once'),
        ),
        *_functions.OPERATIONS,
    ]
