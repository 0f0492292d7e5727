"""Facts, id lists and trials. Tables gain members: those of before go, and are published anew by the reconciliation."""

import django.core.serializers.json
import django.core.validators
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('devices_app', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='appversion',
            name='profile',
            field=models.JSONField(blank=True, default=dict),
        ),
        migrations.CreateModel(
            name='IdList',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=40, validators=[django.core.validators.RegexValidator('^[a-z][a-z0-9-]{0,39}$')])),
                ('description', models.CharField(blank=True, max_length=200)),
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
            name='Exposure',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('release', models.BigIntegerField()),
                ('stage', models.BigIntegerField(help_text='the stage during which the device was drawn')),
                ('task', models.CharField(max_length=81)),
                ('device', models.CharField(max_length=64)),
                ('arm', models.CharField(choices=[('treatment', 'Treatment'), ('control', 'Control')], max_length=9)),
                ('bucket', models.PositiveIntegerField(help_text="where the device stands in the release's order, 0..999999")),
                ('drawn_at', models.DateTimeField()),
                ('offered_at', models.DateTimeField(null=True)),
                ('number', models.BigIntegerField(help_text='of the table under which it was offered', null=True)),
                ('installed_at', models.DateTimeField(null=True)),
                ('outcome', models.CharField(blank=True, choices=[('', 'open'), ('success', 'Success'), ('failure', 'Failure')], default='', max_length=7)),
                ('error_class', models.CharField(blank=True, max_length=80)),
                ('settled_at', models.DateTimeField(null=True)),
                ('duration_ms', models.FloatField(null=True)),
                ('metrics', models.JSONField(default=dict)),
                ('silent', models.BooleanField(null=True)),
                ('app', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='exposures', to='devices_app.app')),
            ],
            options={
                'indexes': [models.Index(fields=['device', 'task'], name='exposure_of_device'), models.Index(condition=models.Q(('silent', None)), fields=['release', 'drawn_at'], name='exposure_unheard')],
                'constraints': [models.UniqueConstraint(fields=('release', 'device'), name='exposure_once'), models.CheckConstraint(condition=models.Q(('arm__in', ['treatment', 'control'])), name='exposure_arm_known'), models.CheckConstraint(condition=models.Q(('outcome__in', ['', 'success', 'failure'])), name='exposure_outcome_known'), models.CheckConstraint(condition=models.Q(('bucket__range', (0, 999999))), name='exposure_bucket_range'), models.CheckConstraint(condition=models.Q(models.Q(('outcome', ''), ('settled_at', None)), models.Q(models.Q(('outcome', ''), _negated=True), ('settled_at__isnull', False)), _connector='OR'), name='exposure_settled_with_outcome')],
            },
        ),
        migrations.AddConstraint(
            model_name='idlist',
            constraint=models.UniqueConstraint(fields=('app', 'name'), name='id_list_once'),
        ),
        migrations.AddConstraint(
            model_name='idlist',
            constraint=models.CheckConstraint(condition=models.Q(('name__regex', '^[a-z][a-z0-9-]{0,39}$')), name='id_list_name_format'),
        ),
        migrations.AddConstraint(
            model_name='idlistmember',
            constraint=models.UniqueConstraint(fields=('id_list', 'device'), name='id_list_member_once'),
        ),
        migrations.AddConstraint(
            model_name='userfacts',
            constraint=models.UniqueConstraint(fields=('app', 'device'), name='user_facts_once'),
        ),
        migrations.RunSQL("DELETE FROM devices_app_publishedtable", migrations.RunSQL.noop),
    ]
