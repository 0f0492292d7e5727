"""Models of apps (the programs that carry the device SDK), their versions, keys, and the base URLs of downloads."""

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q

from walle.container.profile import ProfileMalformed, read_profile
from walle.protocol.names import SLUG_PATTERN
from walle.release.table import BASE_EXPECTED, BASE_PATTERN

SLUG = f"^{SLUG_PATTERN.pattern}$"
_slug = RegexValidator(SLUG, "expected a lowercase letter, then up to 39 of a-z, 0-9 and -")
MOST_ENROLMENTS = 100_000_000


class App(models.Model):
    """A mobile app, or any other program with devices; it has a table of its own."""

    slug = models.CharField(max_length=40, unique=True, validators=[_slug])
    name = models.CharField(max_length=80)
    check_in_interval = models.PositiveIntegerField(
        default=60,
        validators=[MinValueValidator(1), MaxValueValidator(86_400)],
        help_text="seconds between two check-ins of an idle device",
    )
    enrolment_limit = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=[MaxValueValidator(MOST_ENROLMENTS)],
        help_text="new devices that may enrol with an app key per hour and gateway process; empty: the server's",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["slug"]
        constraints = [
            models.CheckConstraint(condition=Q(slug__regex=SLUG), name="app_slug_format"),
            models.CheckConstraint(condition=Q(check_in_interval__range=(1, 86_400)), name="app_interval_range"),
            models.CheckConstraint(condition=Q(enrolment_limit__lte=MOST_ENROLMENTS), name="app_enrolment_range"),
        ]

    def __str__(self) -> str:
        return self.slug


class AppVersion(models.Model):
    """A version of an app that users have; uniform releases are addressed to versions.

    `profile` declares what a task finds in this version, for the simulation test (walle.container.profile).
    """

    app = models.ForeignKey(App, on_delete=models.CASCADE, related_name="versions")
    version = models.CharField(max_length=64, validators=[RegexValidator(r"^[!-~]{1,64}$")])
    profile = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["app", "-created_at"]
        constraints = [
            models.UniqueConstraint(fields=["app", "version"], name="app_version_once"),
            models.CheckConstraint(condition=Q(version__regex=r"^[!-~]{1,64}$"), name="app_version_format"),
        ]

    def __str__(self) -> str:
        return f"{self.app} {self.version}"

    def clean(self) -> None:
        """Refuse an invalid profile; an empty one says that nothing is declared yet."""
        if self.profile:
            try:
                read_profile(self.profile)
            except ProfileMalformed as error:
                raise ValidationError({"profile": error.texts}) from error


class AppKey(models.Model):
    """A key that authenticates its holder as speaking for an app.

    An `enrol` key ships inside the app; with a `gateway` key a business service of the app answers check-ins itself. Of
    both only the SHA-256 is stored. A `backend` key is the public half (Ed25519, hex) of the key with which the app's
    own backend signs facts about its users.
    """

    class Kind(models.TextChoices):
        ENROL = "enrol"
        GATEWAY = "gateway"
        BACKEND = "backend"

    app = models.ForeignKey(App, on_delete=models.CASCADE, related_name="keys")
    kind = models.CharField(max_length=7, choices=Kind.choices)
    label = models.CharField(max_length=80)
    material = models.CharField(max_length=64, help_text="SHA-256 of a secret key, or a raw public key, in hex")
    created_at = models.DateTimeField(auto_now_add=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["app", "-created_at"]
        constraints = [
            models.UniqueConstraint(fields=["app", "material"], name="app_key_once"),
            models.CheckConstraint(condition=Q(material__regex=r"^[0-9a-f]{64}$"), name="app_key_format"),
        ]

    def __str__(self) -> str:
        return f"{self.app} {self.kind} key {self.label}"


class RegionBase(models.Model):
    """The base URLs from which devices of one region download; the empty region stands for all without a row."""

    app = models.ForeignKey(App, on_delete=models.CASCADE, related_name="bases")
    region = models.CharField(max_length=40, blank=True)
    shared = models.URLField(help_text="base URL of shared files (a CDN in front of /walle/v1)")
    exclusive = models.URLField(help_text="base URL of exclusive files")

    class Meta:
        ordering = ["app", "region"]
        constraints = [models.UniqueConstraint(fields=["app", "region"], name="region_base_once")]

    def __str__(self) -> str:
        return f"{self.app} {self.region or 'everywhere else'}"

    def clean(self) -> None:
        """Refuse URLs that an offer's header cannot carry."""
        for name in ("shared", "exclusive"):
            if not BASE_PATTERN.fullmatch(getattr(self, name)):
                raise ValidationError({name: f"expected {BASE_EXPECTED}"})
