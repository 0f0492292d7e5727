"""Features that devices upload through the tunnel.

Their table is partitioned by day. Its partitions come with the first rows of a day at the latest (devices_app.services.
feature_partitions), so none is made here. Django cannot say that: it gets the model, and PostgreSQL the SQL.
"""

import django.contrib.postgres.fields
import django.db.models.deletion
import kit.transactions
from django.db import migrations, models

TABLE = """
CREATE SEQUENCE devices_app_feature_id_seq;
CREATE TABLE devices_app_feature (
    id bigint NOT NULL DEFAULT nextval('devices_app_feature_id_seq'),
    app_id bigint NOT NULL,
    device text COLLATE "C" NOT NULL,
    spool bytea NOT NULL,
    sequence bigint NOT NULL,
    task text COLLATE "C" NOT NULL,
    version text COLLATE "C" NOT NULL,
    manifest text COLLATE "C" NOT NULL,
    at timestamptz NOT NULL,
    tracked_at timestamptz NOT NULL,
    received_at timestamptz NOT NULL,
    answer_by timestamptz,
    raw_bytes integer NOT NULL,
    wire_bytes integer NOT NULL,
    "values" json NOT NULL,
    xid xid8 NOT NULL DEFAULT pg_current_xact_id()
) PARTITION BY RANGE (received_at);
ALTER SEQUENCE devices_app_feature_id_seq OWNED BY devices_app_feature.id;
CREATE INDEX feature_by_transaction ON devices_app_feature (xid, id);
CREATE INDEX feature_of_device ON devices_app_feature (app_id, device, xid, id);
CREATE INDEX feature_of_version ON devices_app_feature (task, version, xid, id)
"""

# So that a new position writes to no index.
ROOM = "ALTER TABLE devices_app_featureposition SET (fillfactor = 70)"


class Migration(migrations.Migration):
    dependencies = [("devices_app", "0004_report_runs")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunSQL(TABLE, "DROP TABLE devices_app_feature")],
            state_operations=[
                migrations.CreateModel(
                    name="Feature",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("device", models.TextField()),
                        ("spool", models.BinaryField()),
                        ("sequence", models.BigIntegerField()),
                        ("task", models.TextField()),
                        ("version", models.TextField()),
                        ("manifest", models.TextField()),
                        ("at", models.DateTimeField(help_text="when the task ran")),
                        ("tracked_at", models.DateTimeField(help_text="when the event happened that triggered the run")),
                        ("received_at", models.DateTimeField()),
                        ("answer_by", models.DateTimeField(help_text="until when the device awaits an answer; empty: none", null=True)),
                        ("raw_bytes", models.IntegerField()),
                        ("wire_bytes", models.IntegerField()),
                        ("values", models.JSONField()),
                        ("xid", kit.transactions.TransactionId(db_default=kit.transactions.CurrentTransaction(), editable=False)),
                        ("app", models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name="+", to="devices_app.app")),
                    ],
                    options={
                        "ordering": ["-id"],
                        "indexes": [
                            models.Index(fields=["xid", "id"], name="feature_by_transaction"),
                            models.Index(fields=["app", "device", "xid", "id"], name="feature_of_device"),
                            models.Index(fields=["task", "version", "xid", "id"], name="feature_of_version"),
                        ],
                    },
                ),
            ],
        ),
        migrations.CreateModel(
            name="FeatureConsumer",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=100, unique=True)),
                ("app", models.CharField(blank=True, db_default="", default="", max_length=40)),
                ("task", models.CharField(blank=True, db_default="", default="", max_length=81)),
                ("xid", kit.transactions.TransactionId(default=0)),
                ("feature", models.BigIntegerField(default=0)),
                ("read", models.BigIntegerField(default=0, help_text="how many features it has read")),
                ("updated_at", models.DateTimeField(help_text="when it last read", null=True)),
                ("error", models.CharField(blank=True, default="", max_length=500)),
                ("failures", models.PositiveIntegerField(default=0)),
                ("failed_at", models.DateTimeField(null=True)),
                ("lag", models.BigIntegerField(db_default=0, default=0)),
                ("lag_s", models.FloatField(db_default=0.0, default=0.0)),
            ],
            options={"ordering": ["name"]},
        ),
        migrations.CreateModel(
            name="FeatureCount",
            fields=[
                ("pk", models.CompositePrimaryKey("minute", "app_id", "task", "slot", blank=True, editable=False, primary_key=True, serialize=False)),
                ("task", models.TextField(db_collation="C")),
                ("minute", models.DateTimeField()),
                ("slot", models.IntegerField()),
                ("features", models.BigIntegerField()),
                ("raw_bytes", models.BigIntegerField()),
                ("wire_bytes", models.BigIntegerField()),
                ("since_event", django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
                ("since_run", django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
                ("app", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="devices_app.app")),
            ],
        ),
        migrations.CreateModel(
            name="FeaturePosition",
            fields=[
                ("pk", models.CompositePrimaryKey("app_id", "device", "spool", blank=True, editable=False, primary_key=True, serialize=False)),
                ("device", models.TextField(db_collation="C")),
                ("spool", models.BinaryField()),
                ("sequence", models.BigIntegerField()),
                ("before", models.BigIntegerField(db_default=0, default=0)),
                ("updated_at", models.DateTimeField()),
                ("app", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="devices_app.app")),
            ],
        ),
        migrations.RunSQL(ROOM, "ALTER TABLE devices_app_featureposition RESET (fillfactor)"),
    ]
