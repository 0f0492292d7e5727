"""Rows about requests: stored answers of repeatable requests, and counts of attempts."""

from django.conf import settings
from django.db import IntegrityError, models, transaction


class KeptAnswer(models.Model):
    """The answer to a request with an Idempotency-Key, stored for a day and returned again.

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
        """Insert the row, after concurrent transactions of the same key; False if the key exists."""
        try:
            with transaction.atomic():
                self.save(force_insert=True)
        except IntegrityError:
            return False
        return True


class AttemptCount(models.Model):
    """The number of attempts to log in, or with invalid tokens, that are counted together until `ends_at`.

    `key` is the SHA-256 of what is counted and of whom. A row whose time is over counts nothing.
    """

    key = models.CharField(max_length=64, primary_key=True)
    count = models.PositiveIntegerField()
    ends_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.count} attempts until {self.ends_at:%Y-%m-%d %H:%M:%S}"
