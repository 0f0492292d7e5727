"""Rows about requests, whatever they are about: answers that may be asked for again, and counts of attempts."""

from django.conf import settings
from django.db import IntegrityError, models, transaction


class KeptAnswer(models.Model):
    """The answer to a request that came with an Idempotency-Key, kept for a day and given again.

    `digest` is the SHA-256 of the key, `request` that of the request; the body is encrypted with the key.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    digest = models.CharField(max_length=64)
    request = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True)
    body = models.BinaryField(default=b"")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "digest"], name="kept_answer_once")]
        indexes = [models.Index(fields=["user", "created_at"])]

    def __str__(self) -> str:
        return f"answer {self.status} of {self.created_at:%Y-%m-%d %H:%M:%S}"

    def claim(self) -> bool:
        """Insert the row, after any other transaction that is about to; False if there is one of the same key."""
        try:
            with transaction.atomic():
                self.save(force_insert=True)
        except IntegrityError:
            return False
        return True


class AttemptCount(models.Model):
    """How many attempts of somebody were made until `ends_at`: to log in, or with tokens that are not good.

    `key` is the SHA-256 of what is counted and of whom. A row whose time is over counts nothing.
    """

    key = models.CharField(max_length=64, primary_key=True)
    count = models.PositiveIntegerField()
    ends_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.count} attempts until {self.ends_at:%Y-%m-%d %H:%M:%S}"
