from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('devices_app', '0005_search'),
    ]

    operations = [
        migrations.CreateModel(
            name='KeptFigures',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('release', models.BigIntegerField(unique=True)),
                ('drawn', models.PositiveIntegerField(help_text='exposures that were counted')),
                ('figures', models.JSONField()),
                ('counted_at', models.DateTimeField()),
                ('took_s', models.FloatField(help_text='how long that took')),
            ],
        ),
    ]
