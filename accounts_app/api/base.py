"""The base class of all views for people and their programs, which knows the actor."""

from rest_framework.request import Request

from accounts_app.actors import Actor
from accounts_app.models import ApiToken
from kit.api.limits import SenderThrottle
from kit.api.views import View


class ActorThrottle(SenderThrottle):
    """Counts each token by itself, and a person's sessions together."""

    def sender(self, request: Request) -> str:
        return request.auth.prefix if isinstance(request.auth, ApiToken) else super().sender(request)


class ApiView(View):
    """A view with an `actor` during each request."""

    throttle_classes = [ActorThrottle]

    def begin(self, request: Request) -> None:
        super().begin(request)
        self.actor = Actor.of(request)
        self.credential = self.actor.token.prefix if self.actor.token else ""
