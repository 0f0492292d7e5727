import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts_app', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Delivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('event', models.CharField(help_text="the entry's action", max_length=60)),
                ('scopes', models.JSONField(help_text='the scopes that the event concerns')),
                ('state', models.CharField(choices=[('pending', 'Pending'), ('sending', 'Sending'), ('delivered', 'Delivered'), ('failed', 'Failed')], default='pending', max_length=9)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('due_at', models.DateTimeField()),
                ('status', models.PositiveSmallIntegerField(help_text='HTTP status of the last answer; empty: none came', null=True)),
                ('error', models.CharField(blank=True, help_text='why the last attempt did not succeed', max_length=300)),
                ('created_at', models.DateTimeField()),
                ('finished_at', models.DateTimeField(null=True)),
                ('entry', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts_app.auditentry')),
            ],
            options={
                'verbose_name_plural': 'deliveries',
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='Attempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField()),
                ('duration_ms', models.PositiveIntegerField()),
                ('status', models.PositiveSmallIntegerField(help_text='of the answer; empty: none came', null=True)),
                ('error', models.CharField(blank=True, max_length=300)),
                ('answer', models.TextField(blank=True, help_text="the beginning of the answer's body")),
                ('delivery', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tries', to='webhooks_app.delivery')),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='Webhook',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('scope', models.CharField(help_text='such as scenario:camera or app:shop; site stands for all there are', max_length=60)),
                ('url', models.CharField(help_text='where events are sent to; who knows it may be all it takes', max_length=500)),
                ('description', models.CharField(blank=True, max_length=200)),
                ('events', models.JSONField(help_text='patterns of events: ["release.*", "version.register"], or ["*"]')),
                ('active', models.BooleanField(default=True, help_text='an inactive webhook hears nothing, not even later')),
                ('inactive_reason', models.CharField(blank=True, max_length=200)),
                ('failing_since', models.DateTimeField(help_text='the first failure after the last success', null=True)),
                ('sealed_secret', models.BinaryField()),
                ('sealed_previous', models.BinaryField(null=True)),
                ('previous_until', models.DateTimeField(null=True)),
                ('created_by', models.CharField(max_length=150)),
                ('created_at', models.DateTimeField()),
                ('deleted_at', models.DateTimeField(null=True)),
            ],
            options={
                'ordering': ['-id'],
                'indexes': [models.Index(condition=models.Q(('active', True), ('deleted_at', None)), fields=['scope'], name='webhook_listening')],
                'constraints': [models.CheckConstraint(condition=models.Q(('scope__regex', '^site$|^[a-z]+:[a-z][a-z0-9-]{0,39}$')), name='webhook_scope_format')],
            },
        ),
        migrations.AddField(
            model_name='delivery',
            name='webhook',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='webhooks_app.webhook'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(fields=['webhook', '-id'], name='delivery_log'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(condition=models.Q(('state__in', ('pending', 'sending'))), fields=['webhook', 'due_at'], name='delivery_of_webhook'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(condition=models.Q(('state', 'sending')), fields=['webhook'], name='delivery_under_way'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(condition=models.Q(('state__in', ('pending', 'sending'))), fields=['due_at'], name='delivery_due'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(condition=models.Q(('state__in', ('pending', 'sending')), _negated=True), fields=['finished_at'], name='delivery_finished'),
        ),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.UniqueConstraint(fields=('webhook', 'entry'), name='delivery_once'),
        ),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['pending', 'sending', 'delivered', 'failed'])), name='delivery_state_known'),
        ),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('finished_at', None), ('state__in', ('pending', 'sending'))), models.Q(models.Q(('state__in', ('pending', 'sending')), _negated=True), ('finished_at__isnull', False)), _connector='OR'), name='delivery_finished_has_time'),
        ),
    ]
