from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("serving_app", "0004_explained_again")]

    operations = [
        migrations.AddIndex(
            model_name="placement",
            index=models.Index(fields=["workflow", "-id"], name="placements_newest_of_each"),
        ),
    ]
