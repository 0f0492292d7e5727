"""Delivery grants: which scenarios may deliver to which apps."""

from django.db import models

from devices_app.models import App
from tasks_app.models.catalogue import Scenario


class DeliveryGrant(models.Model):
    """A grant of the app's owners that versions of a scenario may be released to an app.

    `complete_early` also allows moving on before a stage has shown what its strategy requires.
    """

    app = models.ForeignKey(App, on_delete=models.CASCADE, related_name="delivery_grants")
    scenario = models.ForeignKey(Scenario, on_delete=models.CASCADE, related_name="delivery_grants")
    complete_early = models.BooleanField(
        default=False, help_text="may also skip what a stage waits for, with a reason that is recorded"
    )
    note = models.CharField(max_length=500, blank=True, help_text="why, in the words of who granted it")
    granted_by = models.CharField(max_length=150)
    granted_at = models.DateTimeField()

    class Meta:
        ordering = ["app__slug", "scenario__slug"]
        constraints = [models.UniqueConstraint(fields=["app", "scenario"], name="delivery_granted_once")]

    def __str__(self) -> str:
        return f"{self.scenario.slug} may deliver to {self.app.slug}"
