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


class GatewayRevision(models.Model):
    """A single row, raised with every change of what gateways answer from (tables, keys, revocations)."""

    revision = models.BigIntegerField(default=0)

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="gateway_revision_single")]

    def __str__(self) -> str:
        return str(self.revision)
