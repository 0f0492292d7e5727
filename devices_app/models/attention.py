"""Who has acknowledged what needs attention."""

from django.db import models


class Acknowledgement(models.Model):
    """Somebody knows of a concern (devices_app.attention), which `kind`, `target` and `title` name.

    It is about what began before it: if the same happens again, that is not acknowledged.
    """

    kind = models.CharField(max_length=40)
    target = models.CharField(max_length=120, blank=True)
    title = models.CharField(max_length=300)
    note = models.TextField()
    by = models.CharField(max_length=150)
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "target", "title"], name="acknowledged_once")]

    def __str__(self) -> str:
        return f"{self.kind}: {self.title}"
