"""The newest features, and one of them, are found without reading all that are kept."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("devices_app", "0006_feature_answers")]

    operations = [
        migrations.AddIndex("feature", models.Index(fields=["id"], name="feature_by_id")),
    ]
