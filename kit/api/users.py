"""Get the authenticated user of a request."""

from django.contrib.auth.models import User
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request


def user_of(request: Request) -> User:
    """Return the user who sent a request; raises NotAuthenticated if nobody is signed in."""
    if not request.user.is_authenticated:
        raise NotAuthenticated
    return request.user
