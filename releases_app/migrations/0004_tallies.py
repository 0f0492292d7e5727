"""Exposures are tallied from here on, by whatever process writes them; a release from when it is first looked at on."""

import django.contrib.postgres.fields
from django.db import migrations, models

from releases_app.migrations import _tallies


class Migration(migrations.Migration):

    dependencies = [
        ('releases_app', '0003_withdrawals'),
    ]

    operations = [
        migrations.CreateModel(
            name='ExposureTally',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('release', models.BigIntegerField()),
                ('stage', models.BigIntegerField()),
                ('arm', models.CharField(max_length=9)),
                ('established', models.BooleanField(help_text='vouched for, or known before the release began')),
                ('drawn', models.BigIntegerField()),
                ('offered', models.BigIntegerField()),
                ('installed', models.BigIntegerField()),
                ('reported', models.BigIntegerField()),
                ('failed', models.BigIntegerField()),
                ('due', models.BigIntegerField()),
                ('silent', models.BigIntegerField()),
                ('timed', models.BigIntegerField()),
                ('slow', models.BigIntegerField()),
                ('slower', models.BigIntegerField()),
                ('warm_timed', models.BigIntegerField()),
                ('warm_slow', models.BigIntegerField()),
                ('warm_slower', models.BigIntegerField()),
                ('measured', models.BigIntegerField()),
                ('low', models.BigIntegerField()),
                ('comparable', models.BigIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name='TalliedRelease',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('release', models.BigIntegerField(unique=True)),
                ('began_at', models.DateTimeField()),
                ('compared', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), help_text='stages whose devices are compared with control', size=None)),
                ('bucket_low', models.PositiveIntegerField()),
                ('bucket_high', models.PositiveIntegerField(help_text='above the buckets of treatment that are compared')),
                ('limit_ms', models.FloatField(null=True)),
                ('baseline_ms', models.FloatField(null=True)),
                ('warm_baseline_ms', models.FloatField(null=True)),
                ('metric', models.CharField(blank=True, max_length=64)),
                ('median', models.FloatField(null=True)),
                ('judged_at', models.DateTimeField(help_text='when the release was last judged, to the minute', null=True)),
                ('provenance_at', models.DateTimeField(help_text='until when it is recorded who was vouched for later', null=True)),
                ('compared_at', models.DateTimeField(help_text='when the tallies were last compared with the exposures', null=True)),
                ('differences', models.PositiveIntegerField(db_default=0, default=0)),
            ],
        ),
        migrations.AddIndex(
            model_name='exposuretally',
            index=models.Index(fields=['release'], name='tally_of_release'),
        ),
        *_tallies.OPERATIONS,
    ]
