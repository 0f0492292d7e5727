"""Activity of the fleet over time, for people who watch it."""

from django.db import models

from devices_app.models.apps import App


class ActivityCount(models.Model):
    """What the devices of an app did in five seconds, added up by all gateways; kept for two days.

    Rows count when something was stored, by the database's clock. `offers` counts the first offers made to a device by
    releases under observation; `installs` counts reports of successful installations, `failures` reports of failures of
    any kind. `registered` counts devices that the registry had not known; `enrolled_by_key` new ids issued for an app
    key, `enrolments_refused` those refused because of a limit, `enrolled_by_statement` enrolments of devices that the
    app's backend vouched for.
    """

    app = models.ForeignKey(App, on_delete=models.CASCADE, related_name="+", db_index=False)
    at = models.DateTimeField(help_text="when the five seconds began")
    check_ins = models.PositiveBigIntegerField(default=0)
    offers = models.PositiveBigIntegerField(default=0)
    installs = models.PositiveBigIntegerField(default=0)
    failures = models.PositiveBigIntegerField(default=0)
    registered = models.PositiveBigIntegerField(default=0)
    enrolled_by_key = models.PositiveBigIntegerField(default=0)
    enrolled_by_statement = models.PositiveBigIntegerField(default=0)
    enrolments_refused = models.PositiveBigIntegerField(default=0)

    class Meta:
        db_table = "devices_app_pulse"
        constraints = [models.UniqueConstraint(fields=["app", "at"], name="pulse_once")]

    def __str__(self) -> str:
        return f"{self.app_id} at {self.at:%H:%M:%S}"
