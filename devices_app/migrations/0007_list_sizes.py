"""Lists know how long they are: to count their devices each time somebody looks takes long.

Pages of devices keep room, so that a check-in that says nothing new writes to no index.
"""

from django.db import migrations, models

COUNTED = """
UPDATE devices_app_idlist list SET size = members.count
FROM (SELECT id_list_id, count(*) FROM devices_app_idlistmember GROUP BY 1) members WHERE members.id_list_id = list.id
"""
ROOM = "ALTER TABLE devices_app_device SET (fillfactor = 80)"


class Migration(migrations.Migration):

    dependencies = [
        ('devices_app', '0006_kept_figures'),
    ]

    operations = [
        migrations.AddField(
            model_name='idlist',
            name='size',
            field=models.PositiveIntegerField(default=0, editable=False, help_text='number of devices'),
        ),
        migrations.AlterField(
            model_name='report',
            name='kind',
            field=models.CharField(
                choices=[('install', 'install'), ('run', 'run'), ('remove', 'remove')], max_length=7
            ),
        ),
        migrations.AlterField(
            model_name='report',
            name='outcome',
            field=models.CharField(choices=[('success', 'success'), ('failure', 'failure')], max_length=7),
        ),
        migrations.RunSQL(ROOM, "ALTER TABLE devices_app_device RESET (fillfactor)"),
        migrations.RunSQL(COUNTED, migrations.RunSQL.noop),
    ]
