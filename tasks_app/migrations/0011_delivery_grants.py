"""Scenarios deliver where an app's owners allow it; those that have released there already go on doing so."""

import django.db.models.deletion
from django.db import migrations, models
from django.utils import timezone

NOTE = "had released to this app before that took a grant"


def keep(apps, schema_editor):
    releases = apps.get_model("tasks_app", "Release").objects.exclude(state="draft")
    pairs = releases.order_by().values_list("app", "version__task__scenario").distinct()
    grants = apps.get_model("tasks_app", "DeliveryGrant").objects
    by = {"note": NOTE, "granted_by": "system", "granted_at": timezone.now()}
    grants.bulk_create(grants.model(app_id=app, scenario_id=scenario, **by) for app, scenario in pairs)


class Migration(migrations.Migration):

    dependencies = [
        ('devices_app', '0011_id_lists_newest_first'),
        ('tasks_app', '0010_variants_newest_first'),
    ]

    operations = [
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
        migrations.RunPython(keep, migrations.RunPython.noop),
    ]
