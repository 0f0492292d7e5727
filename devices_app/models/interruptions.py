"""When no report could be stored: no gateway ran, or none reached the database."""

from django.db import models


class GatewayPresence(models.Model):
    """A single row: when a gateway last could store reports."""

    seen_at = models.DateTimeField()

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="gateway_presence_single")]

    def __str__(self) -> str:
        return f"{self.seen_at:%Y-%m-%d %H:%M:%S}"


class Interruption(models.Model):
    """A time in which no gateway could store reports, as found when one could again. They do not overlap."""

    began_at = models.DateTimeField()
    ended_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(began_at__lt=models.F("ended_at")), name="interruption_in_order")
        ]

    def __str__(self) -> str:
        return f"{self.began_at:%Y-%m-%d %H:%M:%S} to {self.ended_at:%H:%M:%S}"
