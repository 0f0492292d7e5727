import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from tasks_app.migrations import _triggers


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('kit', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='IngestedBlob',
            fields=[
                ('oid', models.CharField(max_length=40, primary_key=True, serialize=False)),
                ('digest', models.CharField(max_length=64)),
                ('size', models.BigIntegerField()),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('digest__regex', '^[0-9a-f]{64}$'), ('oid__regex', '^[0-9a-f]{40}$'), ('size__gte', 0)), name='blob_format')],
            },
        ),
        migrations.CreateModel(
            name='Scenario',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.CharField(max_length=40, unique=True)),
                ('description', models.TextField(blank=True)),
                ('approval_required', models.BooleanField(default=False, help_text='every release has to be approved by somebody else than who made it')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'ordering': ['slug'],
                'constraints': [models.CheckConstraint(condition=models.Q(('slug__regex', '^[a-z][a-z0-9-]{0,39}$')), name='scenario_slug_format')],
            },
        ),
        migrations.CreateModel(
            name='Task',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.CharField(max_length=40)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('retired_at', models.DateTimeField(blank=True, null=True)),
                ('scenario', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='tasks', to='tasks_app.scenario')),
            ],
            options={
                'ordering': ['scenario__slug', 'slug'],
            },
        ),
        migrations.CreateModel(
            name='TaskVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.CharField(max_length=64)),
                ('order', models.CharField(db_collation='C', editable=False, help_text='sorts as versions do', max_length=300)),
                ('commit', models.CharField(max_length=40)),
                ('author_name', models.CharField(max_length=200)),
                ('author_email', models.CharField(blank=True, max_length=254)),
                ('message', models.TextField(blank=True)),
                ('tagged_at', models.DateTimeField()),
                ('manifest', models.BinaryField()),
                ('manifest_digest', models.CharField(max_length=64, unique=True)),
                ('envelope_digest', models.CharField(max_length=64)),
                ('signed_by', models.CharField(help_text='id of the key that signed the envelope', max_length=64)),
                ('total_size', models.BigIntegerField(help_text='bytes of all shared files')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('kind', models.CharField(default='device', help_text='what runs it: every device, or an engine', max_length=40)),
                ('task', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='versions', to='tasks_app.task')),
            ],
            options={
                'ordering': ['task', '-created_at'],
            },
        ),
        migrations.CreateModel(
            name='UnusedArtifact',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('store', models.CharField(choices=[('shared', 'Shared'), ('exclusive', 'Exclusive')], max_length=9)),
                ('digest', models.CharField(max_length=64)),
                ('since', models.DateTimeField()),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('store', 'digest'), name='unused_artifact_once'), models.CheckConstraint(condition=models.Q(('digest__regex', '^[0-9a-f]{64}$')), name='unused_artifact_digest_format'), models.CheckConstraint(condition=models.Q(('store__in', ['shared', 'exclusive'])), name='unused_artifact_store_known')],
            },
        ),
        migrations.CreateModel(
            name='VersionFile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('path', models.CharField(max_length=200)),
                ('kind', models.CharField(choices=[('shared', 'Shared'), ('exclusive', 'Exclusive')], max_length=9)),
                ('digest', models.CharField(blank=True, max_length=64, null=True)),
                ('size', models.BigIntegerField(blank=True, null=True)),
                ('template', models.CharField(blank=True, help_text='how facts make the variant key', max_length=200)),
                ('default', models.CharField(blank=True, help_text='shared file used without a variant', max_length=200)),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='files', to='tasks_app.taskversion')),
            ],
            options={
                'ordering': ['path'],
            },
        ),
        migrations.CreateModel(
            name='Variant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=200)),
                ('digest', models.CharField(max_length=64)),
                ('size', models.BigIntegerField()),
                ('statement', models.BinaryField(help_text='signed envelope')),
                ('signed_by', models.CharField(help_text='id of the key that signed the statement', max_length=64)),
                ('uploaded_at', models.DateTimeField()),
                ('uploaded_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('file', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='variants', to='tasks_app.versionfile')),
            ],
            options={
                'ordering': ['file', 'key'],
            },
        ),
        migrations.AddConstraint(
            model_name='task',
            constraint=models.UniqueConstraint(fields=('scenario', 'slug'), name='task_once'),
        ),
        migrations.AddConstraint(
            model_name='task',
            constraint=models.CheckConstraint(condition=models.Q(('slug__regex', '^[a-z][a-z0-9-]{0,39}$')), name='task_slug_format'),
        ),
        migrations.AddIndex(
            model_name='taskversion',
            index=models.Index(fields=['task', 'order'], name='tasks_app_t_task_id_35add1_idx'),
        ),
        migrations.AddConstraint(
            model_name='taskversion',
            constraint=models.UniqueConstraint(fields=('task', 'version'), name='version_once'),
        ),
        migrations.AddConstraint(
            model_name='taskversion',
            constraint=models.CheckConstraint(condition=models.Q(('commit__regex', '^[0-9a-f]{40}$')), name='version_commit_format'),
        ),
        migrations.AddConstraint(
            model_name='taskversion',
            constraint=models.CheckConstraint(condition=models.Q(('envelope_digest__regex', '^[0-9a-f]{64}$'), ('manifest_digest__regex', '^[0-9a-f]{64}$')), name='version_digest_format'),
        ),
        migrations.AddConstraint(
            model_name='taskversion',
            constraint=models.CheckConstraint(condition=models.Q(('total_size__gte', 0)), name='version_size_positive'),
        ),
        migrations.AddIndex(
            model_name='versionfile',
            index=models.Index(fields=['digest'], name='tasks_app_v_digest_dd0a5d_idx'),
        ),
        migrations.AddConstraint(
            model_name='versionfile',
            constraint=models.UniqueConstraint(fields=('version', 'path'), name='file_once'),
        ),
        migrations.AddConstraint(
            model_name='versionfile',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('digest__isnull', False), ('kind', 'shared'), ('size__isnull', False), ('default', ''), ('digest__regex', '^[0-9a-f]{64}$'), ('size__gte', 0), ('template', '')), models.Q(models.Q(('digest', None), ('kind', 'exclusive'), ('size', None)), models.Q(('template', ''), _negated=True), models.Q(('default', models.F('path')), _negated=True)), _connector='OR'), name='file_shared_or_exclusive'),
        ),
        migrations.AddIndex(
            model_name='variant',
            index=models.Index(fields=['digest'], name='tasks_app_v_digest_84ad27_idx'),
        ),
        migrations.AddIndex(
            model_name='variant',
            index=models.Index(fields=['file', '-id'], name='variant_of_file'),
        ),
        migrations.AddConstraint(
            model_name='variant',
            constraint=models.UniqueConstraint(fields=('file', 'key'), name='variant_once'),
        ),
        migrations.AddConstraint(
            model_name='variant',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('digest__regex', '^[0-9a-f]{64}$'), ('size__gte', 0)), models.Q(('key', ''), _negated=True)), name='variant_content_format'),
        ),
        *_triggers.OPERATIONS,
    ]
