from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('devices_app', '0003_rule_functions'),
    ]

    operations = [
        migrations.AddField(
            model_name='exposure',
            name='reported_at',
            field=models.DateTimeField(help_text="of the report that settled it, by the device's clock", null=True),
        ),
        migrations.AddIndex(
            model_name='userfacts',
            index=models.Index(fields=['app', 'updated_at'], name='user_facts_changed'),
        ),
    ]
