"""Django's settings, built from walleweb.config; nothing here reads the environment."""

from pathlib import Path
from typing import Any

from walleweb import logs
from walleweb.config import Config
from walleweb.console.theme import COLORS
from walleweb.dashboard import build as dashboard
from walleweb.dashboard.collected import is_collected
from walleweb.databases import broker_url, channel_layer, django_database, effective_database_url
from walleweb.mail_server import django_mail
from walleweb.private_files import stored_secret

CONFIG = Config.from_env()

DEBUG = CONFIG.debug
SECRET_KEY = CONFIG.secret_key or stored_secret(CONFIG.data_dir / "secret_key", size=50)
SECRET_KEY_FALLBACKS = list(CONFIG.secret_key_fallbacks)
DEFAULT_EXCEPTION_REPORTER_FILTER = "walleweb.fault_reports.SecretsHidden"
ALLOWED_HOSTS = list(CONFIG.own_hosts)
CSRF_TRUSTED_ORIGINS = list(CONFIG.trusted_origins)

# Folders of stored data. Apps read these names, never the environment.
WALLE_DATA_DIR = CONFIG.data_dir
WALLE_ARTIFACTS_DIR = CONFIG.data_dir / "artifacts"
WALLE_EXCLUSIVE_DIR = CONFIG.data_dir / "exclusive"
WALLE_CACHE_DIR = CONFIG.data_dir / "cache"
WALLE_SERVING_DIR = CONFIG.data_dir / "serving"
WALLE_GIT_DIR = CONFIG.data_dir / "git"
# Bytes.
WALLE_MAX_FILE = CONFIG.max_file_mb << 20
WALLE_INTERPRETERS = CONFIG.interpreters
WALLE_MAX_PUSH = CONFIG.max_push_mb << 20
WALLE_MASTER_KEY = CONFIG.master_key or stored_secret(CONFIG.data_dir / "master_key", size=50)
WALLE_WEBHOOK_NETWORKS = CONFIG.webhook_networks
WALLE_KEEP_DELIVERIES_DAYS = CONFIG.keep_deliveries_days
WALLE_MASTER_KEY_FALLBACKS = CONFIG.master_key_fallbacks
WALLE_SIMULATIONS_AT_ONCE = CONFIG.simulations_at_once
WALLE_SIMULATION_SECONDS_PER_HOUR = CONFIG.simulation_seconds_per_hour
WALLE_KEEP_REPORTS_DAYS = CONFIG.keep_reports_days
WALLE_KEEP_DEVICES_DAYS = CONFIG.keep_devices_days
WALLE_KEEP_BRIEF_DEVICES_DAYS = CONFIG.keep_brief_devices_days
WALLE_KEEP_EXPOSURES_DAYS = CONFIG.keep_exposures_days
WALLE_KEEP_HISTORY_DAYS = CONFIG.keep_history_days
WALLE_KEEP_FEATURES_DAYS = CONFIG.keep_features_days
WALLE_FEATURES_REDIS = CONFIG.features_redis
WALLE_FEATURES_REDIS_REPLICAS = CONFIG.features_redis_replicas
WALLE_SERVING = CONFIG.serving
WALLE_SERVING_MEMORY = CONFIG.serving_memory_mb << 20
WALLE_SERVING_LOAD = CONFIG.serving_load
WALLE_SERVING_MAX_BODY = CONFIG.serving_max_body_mb << 20
WALLE_SERVING_MAX_BATCH = CONFIG.serving_max_batch
WALLE_SERVING_RECORDS_PER_SECOND = CONFIG.serving_records_per_second
WALLE_METRICS_TOKEN = CONFIG.metrics_token
WALLE_TRUSTED_PROXIES = CONFIG.trusted_proxies
WALLE_PUBLIC_URL = CONFIG.public_url.rstrip("/") or f"http://{CONFIG.host}:{CONFIG.port}"
WALLE_CDN_URL = CONFIG.cdn_url.rstrip("/")
WALLE_S3_BUCKET = CONFIG.s3_bucket
WALLE_S3_PREFIX = CONFIG.s3_prefix
WALLE_S3_ENDPOINT = CONFIG.s3_endpoint
WALLE_S3_REGION = CONFIG.s3_region
WALLE_CACHE_BYTES = CONFIG.cache_mb << 20
WALLE_KEEP_UNUSED_DAYS = CONFIG.keep_unused_days

WALLE_API_READS_PER_MINUTE = CONFIG.api_reads_per_minute
WALLE_API_WRITES_PER_MINUTE = CONFIG.api_writes_per_minute
WALLE_LOGINS_PER_MINUTE = CONFIG.logins_per_minute
WALLE_LIVE_RECHECK_SECONDS = CONFIG.live_recheck_seconds
WALLE_ENROLMENTS_PER_HOUR = CONFIG.enrolments_per_hour
WALLE_ENROLMENTS_BLOCK_PERCENT = CONFIG.enrolments_block_percent
WALLE_ENROLMENTS_AGAIN_PER_HOUR = CONFIG.enrolments_again_per_hour
WALLE_RATE_STORAGE = CONFIG.redis_url.replace("unix://", "redis+unix://", 1) or "memory://"

INSTALLED_APPS = [
    "unfold",
    # Only who answers requests loads the admin pages (walleweb.urls): a fifth of the start of every other process.
    "django.contrib.admin.apps.SimpleAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "servestatic",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "channels",
    "channels_postgres",
    "kit",
    "accounts_app",
    "jobs_app",
    "live_app",
    "devices_app",
    "webhooks_app",
    "tasks_app",
    "releases_app",
    "serving_app",
    "walleweb",
]

MIDDLEWARE = [
    "walleweb.requests.request_middleware",
    "walleweb.handler.SecurityHeaders",
    "servestatic.middleware.ServeStaticMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "walleweb.urls"
ASGI_APPLICATION = "walleweb.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        # Before those of the apps: the console's home, and the way from an admin page to the dashboard.
        "DIRS": [Path(__file__).with_name("console") / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

DATABASES = {"default": django_database(effective_database_url(CONFIG), pool=CONFIG.database_pool)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CHANNEL_LAYERS = {"default": channel_layer(DATABASES["default"], redis_url=CONFIG.redis_url)}

CELERY_BROKER_URL = broker_url(DATABASES["default"], redis_url=CONFIG.redis_url)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
WALLE_REDIS_URL = CONFIG.redis_url
# A Redis that no longer answers, without ending connections, holds nobody up.
CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_connect_timeout": 2, "socket_timeout": 5} if CONFIG.redis_url else {}
CELERY_IMPORTS = ["jobs_app.worker"]
CELERY_TASK_IGNORE_RESULT = True
# Celery leaves connections to walleweb.celery, but for one task in so many.
CELERY_DB_REUSE_MAX = 10_000
CELERY_WORKER_CONCURRENCY = CONFIG.worker_processes
# A message whose acknowledgement Redis missed counts as unread for ever. Without room for another one, the worker would
# never read again, and so never notice that the connection is lost.
CELERY_WORKER_PREFETCH_MULTIPLIER = 4
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_REDIRECT_STDOUTS = False
CELERY_BEAT_SCHEDULER = "walleweb.beat:BeatScheduler"
# The sweep finds what messages do not announce: due retries, lost messages, dead workers, periodic jobs.
CELERY_BEAT_SCHEDULE = {"sweep": {"task": "jobs_app.sweep", "schedule": 2.0, "options": {"expires": 10}}}

PASSWORD_HASHERS = ["accounts_app.hashing.LowPriorityPasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "/admin/login/"

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = True

# EMAIL_BACKEND and so on, under Django's own names.
WALLE_MAIL = CONFIG.mail_server is not None
globals().update(django_mail(CONFIG.mail_server, CONFIG.mail_from, CONFIG.data_dir))

STATIC_URL = "/static/"
STATIC_ROOT = CONFIG.static_dir
STATICFILES_DIRS = [(dashboard.ASSETS, dashboard.DIST / "assets")]
# A fresh clone has no build yet; the page says so.
SILENCED_SYSTEM_CHECKS = ["staticfiles.W004"]
# If those of this version were not collected, files come from the apps and the dashboard's build, as they are at the
# moment.
COLLECTED = is_collected(STATIC_ROOT)
SERVESTATIC_AUTOREFRESH = not COLLECTED
SERVESTATIC_MAX_AGE = 60 if COLLECTED else 0
# A build that was not collected yet must work, too.
SERVESTATIC_USE_FINDERS = True
# All files ever collected, not only those of this version's manifest: open pages request older assets.
SERVESTATIC_USE_MANIFEST = False
SERVESTATIC_USE_STATIC_ROOT = COLLECTED
SERVESTATIC_ADD_HEADERS_FUNCTION = dashboard.add_headers
STORAGES: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "walleweb.dashboard.static.Storage"},
}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "accounts_app.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_METADATA_CLASS": None,
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "kit.problems.exception_handler",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Walle",
    "DESCRIPTION": Path(__file__).with_name("openapi_introduction.md").read_text(),
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    # Requests and answers are described separately: otherwise the bounds of requests would be incomplete.
    "COMPONENT_SPLIT_REQUEST": True,
    "SERVE_INCLUDE_SCHEMA": False,
    "POSTPROCESSING_HOOKS": ["drf_spectacular.hooks.postprocess_schema_enums", "walleweb.openapi.add_examples"],
    "ENUM_NAME_OVERRIDES": {
        "Role": "accounts_app.models.Role",
        "AppKeyKind": "devices_app.models.AppKey.Kind",
        "ReportKind": "devices_app.api.serializers.KINDS",
        "ReportOutcome": "devices_app.api.serializers.OUTCOMES",
        "FileKind": "tasks_app.models.FileKind",
        "StageKind": "releases_app.models.releases.STAGE_KIND_CHOICES",
        "SimulationCellState": "releases_app.models.SimulationCell.State",
        "PlacementState": "serving_app.models.Placement.State",
        "SimulationKind": "releases_app.api.simulation.KINDS",
        "DeliveryState": "webhooks_app.models.DeliveryState",
        "MailKind": "webhooks_app.api.mail_serializers.MAIL_KINDS",
        "MailPurpose": "webhooks_app.models.Mail.Purpose",
        "MailState": "webhooks_app.models.Mail.State",
        "ReleaseState": "releases_app.models.releases.STATES",
        "ReleaseAction": "releases_app.api.releases.ACTIONS",
        "FactKind": "walle.release.rules.value_sets.JSON_KINDS",
        "OperandForm": "walle.release.rules.operands.FORMS",
    },
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    # The page opens with the introduction and the names of all operations' groups.
    "SWAGGER_UI_SETTINGS": {"docExpansion": "none", "defaultModelsExpandDepth": 0, "deepLinking": True, "filter": True},
    # The page's scripts come from our own static files.
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}
UNFOLD = {
    "SITE_TITLE": "Walle",
    "SITE_HEADER": "Walle",
    "SITE_SUBHEADER": "Admin",
    "COLORS": COLORS,
    "DASHBOARD_CALLBACK": "walleweb.console.home.home",
    "SIDEBAR": {"show_search": True, "navigation": "walleweb.console.sidebar.navigation"},
    "LOGIN": {"form": "accounts_app.admin_login.LoginForm"},
}

LOGGING = logs.configuration(form=CONFIG.log_format, level=CONFIG.log_level)
logs.configure_structlog()
logs.quiet_third_parties()

SESSION_ENGINE = "accounts_app.session_store"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = CONFIG.https
SECURE_HSTS_SECONDS = 31_536_000 if CONFIG.https else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if CONFIG.https else None
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
