"""The one address of the plain DRF check-in."""

from django.urls import path
from rest_framework.decorators import api_view, authentication_classes, permission_classes

from benchmarks.support.checkin_peers import check_in_view

_view = api_view(["POST"])(authentication_classes([])(permission_classes([])(check_in_view)))
urlpatterns = [path("walle/v1/checkin", _view)]
