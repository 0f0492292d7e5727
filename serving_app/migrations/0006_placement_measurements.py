from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('serving_app', '0005_newest_placements'),
    ]

    operations = [
        migrations.AddField(
            model_name='placement',
            name='profiled',
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name='placement',
            name='measurements',
            field=models.JSONField(null=True),
        ),
    ]
