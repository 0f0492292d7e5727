import django.core.serializers.json
import django.db.models.deletion
import kit.transactions
from django.conf import settings
from django.db import migrations, models

from accounts_app.migrations import _triggers


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('kit', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='ApiToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(help_text='what the token is for, in the words of its owner', max_length=80)),
                ('prefix', models.CharField(help_text="the token's public beginning", max_length=11, unique=True)),
                ('digest', models.CharField(max_length=64)),
                ('scopes', models.JSONField(blank=True, default=list, help_text='empty: everywhere')),
                ('permissions', models.JSONField(blank=True, default=list, help_text='empty: everything its user may do')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('last_used_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='api_tokens', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-created_at'],
                'constraints': [models.CheckConstraint(condition=models.Q(('prefix__regex', '^wl_[0-9a-f]{8}$')), name='token_prefix_format'), models.CheckConstraint(condition=models.Q(('digest__regex', '^[0-9a-f]{64}$')), name='token_digest_format')],
            },
        ),
        migrations.CreateModel(
            name='AuditEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('actor_name', models.CharField(max_length=150)),
                ('token_prefix', models.CharField(blank=True, max_length=11)),
                ('action', models.CharField(max_length=60)),
                ('scope', models.CharField(blank=True, max_length=60)),
                ('object_type', models.CharField(max_length=80)),
                ('object_id', models.CharField(max_length=64)),
                ('object_name', models.CharField(max_length=200)),
                ('before', models.JSONField(encoder=django.core.serializers.json.DjangoJSONEncoder, null=True)),
                ('after', models.JSONField(encoder=django.core.serializers.json.DjangoJSONEncoder, null=True)),
                ('request_id', models.CharField(blank=True, max_length=64)),
                ('xid', kit.transactions.TransactionId(db_default=kit.transactions.CurrentTransaction(), editable=False)),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name_plural': 'audit entries',
                'ordering': ['-id'],
                'indexes': [models.Index(fields=['object_type', 'object_id', '-id'], name='accounts_ap_object__2a38c8_idx'), models.Index(fields=['scope', '-id'], name='accounts_ap_scope_922881_idx'), models.Index(fields=['action', '-id'], name='accounts_ap_action_fe537f_idx'), models.Index(fields=['actor_name', '-id'], name='accounts_ap_actor_n_713df7_idx')],
            },
        ),
        migrations.CreateModel(
            name='Member',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('scope', models.CharField(help_text='such as scenario:camera or app:shop', max_length=60)),
                ('role', models.CharField(choices=[('viewer', 'Viewer'), ('developer', 'Developer'), ('releaser', 'Releaser'), ('owner', 'Owner')], max_length=10)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['scope', 'user_id', 'role'],
                'indexes': [models.Index(fields=['scope'], name='accounts_ap_scope_d555e4_idx')],
                'constraints': [models.UniqueConstraint(fields=('user', 'scope', 'role'), name='member_once'), models.CheckConstraint(condition=models.Q(('scope__regex', '^[a-z]+:[a-z][a-z0-9-]{0,39}$')), name='member_scope_format'), models.CheckConstraint(condition=models.Q(('role__in', ['viewer', 'developer', 'releaser', 'owner'])), name='member_role_known')],
            },
        ),
        *_triggers.OPERATIONS,
    ]
