"""Published tables, and the revision by which gateways notice changes."""

from django.db import models

from devices_app.models.apps import App


class PublishedTable(models.Model):
    """The newest table of an app. Its number only grows, even when a database is restored from a backup."""

    app = models.OneToOneField(App, on_delete=models.CASCADE, related_name="table")
    number = models.BigIntegerField()
    envelope = models.BinaryField(help_text="signed table")
    published_at = models.DateTimeField()

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(number__gte=1), name="table_number_positive")]

    def __str__(self) -> str:
        return f"table {self.number} of {self.app}"


class PastTable(models.Model):
    """What was released to an app from a moment on: a table as it was published, without its assignments.

    One that only renews another's signatures has no row.
    """

    app = models.ForeignKey(App, on_delete=models.CASCADE, related_name="past_tables", db_index=False)
    number = models.BigIntegerField()
    published_at = models.DateTimeField()
    digest = models.CharField(max_length=64, help_text="SHA-256 of what it releases")
    content = models.BinaryField(help_text="the document, compressed")

    class Meta:
        indexes = [models.Index(fields=["app", "-published_at"], name="past_table_of_app")]

    def __str__(self) -> str:
        return f"table {self.number} of app {self.app_id}"


class GatewayRevision(models.Model):
    """A single row, raised with every change of what gateways answer from (tables, keys, revocations)."""

    revision = models.BigIntegerField(default=0)

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="gateway_revision_single")]

    def __str__(self) -> str:
        return str(self.revision)
