"""Withdrawals: how a rolled-back version leaves the devices of its app."""

from django.db import models

from releases_app.models.releases import Release


class Withdrawal(models.Model):
    """The version of a rolled-back release on its way off the devices, as it was counted from time to time.

    It ends when no device has the version any more, or when devices may have it again; `remaining` says which. By
    `told_by` every device that can reach the server has heard of it.
    """

    release = models.OneToOneField(Release, on_delete=models.CASCADE, related_name="withdrawal")
    began_at = models.DateTimeField()
    told_by = models.DateTimeField()
    devices = models.PositiveIntegerField(help_text="that had the version, the most that were counted")
    remaining = models.PositiveIntegerField(help_text="that still have it")
    offline = models.PositiveIntegerField(default=0, help_text="of these, not heard of lately")
    counted_at = models.DateTimeField()
    curve = models.JSONField(default=list, help_text="pairs of Unix seconds and the devices that had it from then on")
    announced_at = models.DateTimeField(null=True, help_text="when it was said that some still have it after `told_by`")
    ended_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["release"], condition=models.Q(ended_at=None), name="withdrawal_under_way")]

    def __str__(self) -> str:
        return f"withdrawal of release {self.release_id}"
