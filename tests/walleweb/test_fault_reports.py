"""Django's page about a fault, as programs on this machine see it while WALLE_DEBUG is on."""

import sys

import pytest
from django.test import Client, RequestFactory
from django.views.debug import technical_500_response

from walleweb.config import Config

SECRET = "hunter22hunter22hunter22hunter22hunter22hunter22hunter22"
ADDRESS = f"postgresql://walle:{SECRET}@db/walle"


@pytest.fixture(autouse=True)
def secrets(settings):
    settings.DEBUG = True
    settings.CONFIG = Config.from_env(
        {"DATABASE_URL": ADDRESS, "SECRET_KEY": SECRET, "WALLE_MASTER_KEY": SECRET, "WALLE_METRICS_TOKEN": SECRET}
    )
    settings.WALLE_MASTER_KEY = settings.WALLE_METRICS_TOKEN = settings.SECRET_KEY = SECRET
    settings.CELERY_BROKER_URL = settings.WALLE_RATE_STORAGE = ADDRESS
    settings.CHANNEL_LAYERS = {"default": {"BACKEND": "x", "CONFIG": {"hosts": [ADDRESS], "PASSWORD": SECRET}}}


def fail(settings):
    config = settings.CONFIG
    address = {"conninfo": ADDRESS}  # noqa: F841
    password = token = SECRET  # noqa: F841
    raise RuntimeError(f"cannot reach {config.port}")


@pytest.mark.parametrize("accept", ["text/html", "text/plain"])
def test_a_page_about_a_fault_shows_settings_and_variables_without_secrets(settings, accept):
    headers = {"Accept": accept, "Authorization": f"Bearer {SECRET}"}
    request = RequestFactory().post("/", {"old": SECRET}, headers=headers)
    # As Django's decorator for views that take passwords leaves it.
    request.sensitive_post_parameters = "__ALL__"
    request.COOKIES = {"sessionid": SECRET, "walle_login_x": SECRET}
    try:
        fail(settings)
    except RuntimeError:
        page = technical_500_response(request, *sys.exc_info()).content.decode()
    assert "CELERY_BROKER_URL" in page
    assert "test_fault_reports" in page
    assert SECRET not in page


@pytest.mark.parametrize("path", ["/static/none.css", "/none", "/api/v1/none"])
def test_nothing_is_shown_where_something_is_missing(settings, path):
    settings.DEBUG = False
    page = Client().get(path, headers={"Accept": "text/html"})
    assert page.status_code == 404
    assert "CELERY" not in page.content.decode()
