"""REST views of facts: what an app declares about its devices and users, and what the cloud holds about users."""

from typing import Final

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from devices_app.api.apps import KEYS, ROLE, OneApp
from devices_app.api.lists import LongJson
from devices_app.models import AppFact, UserFacts
from devices_app.selectors import registry
from devices_app.services import facts
from kit.api.inputs import PageInput, StrictSerializer
from kit.api.outputs import Output, RowOutput
from kit.api.pages import page_of
from kit.api.schema import endpoint

VOUCH: Final = "`issue device credentials` in the app"


class DeclaredFactSerializer(RowOutput):
    name = serializers.CharField(
        source="full_name", help_text="as rules use it; names of facts about users begin with user."
    )

    class Meta:
        model = AppFact
        fields = ["name", "type", "source", "values", "description"]


class FactDeclarationSerializer(StrictSerializer):
    type = serializers.ChoiceField(choices=AppFact.Type.choices)
    values = serializers.ListField(
        child=serializers.CharField(max_length=256),
        max_length=1000,
        default=list,
        help_text="all possible values of a text",
    )
    description = serializers.CharField(max_length=200, allow_blank=True, default="")


class UserFactsSerializer(RowOutput):
    facts = serializers.DictField()

    class Meta:
        model = UserFacts
        fields = ["device", "facts", "updated_at"]


class NewUserFactsSerializer(StrictSerializer):
    facts = serializers.DictField(help_text="declared facts by name, without user.; an empty object deletes all")


class ManyUserFactsSerializer(StrictSerializer):
    facts = serializers.DictField(
        child=serializers.DictField(allow_null=True), help_text="by device id; null deletes all facts of a device"
    )


class CountSerializer(Output):
    changed = serializers.IntegerField(help_text="number of devices whose facts changed")


class DeclaredFacts(OneApp):
    @endpoint("list_facts", page_of(DeclaredFactSerializer), query=PageInput, needs=ROLE)
    def get(self, request: Request, app: str) -> Response:
        """List the facts that the app declares, the last declared first; facts of every device are not among them."""
        return self.respond_rows(DeclaredFactSerializer, registry.declared_facts_of(self.app(app)))


class DeclaredFact(OneApp):
    @endpoint("declare_fact", DeclaredFactSerializer, body=FactDeclarationSerializer, needs=KEYS)
    def put(self, request: Request, app: str, fact: str) -> Response:
        """Declare a fact, so that targeting rules may use it.

        An earlier declaration is replaced. The type cannot change while a release uses the fact.
        """
        source, name = registry.split_fact(fact)
        body = self.body(FactDeclarationSerializer)
        declared = facts.declare_fact(app=self.app(app), name=name, source=source, actor=self.actor, **body)
        return self.respond(DeclaredFactSerializer, declared)

    @endpoint("withdraw_fact", status=204, needs=KEYS)
    def delete(self, request: Request, app: str, fact: str) -> Response:
        """Withdraw a declaration; refused while a release uses the fact."""
        facts.withdraw_fact(fact=registry.declared_fact(self.app(app), fact), actor=self.actor)
        return Response(status=204)


class HeldFacts(OneApp):
    parser_classes = [LongJson]

    @endpoint("list_user_facts", page_of(UserFactsSerializer), query=PageInput, needs=ROLE)
    def get(self, request: Request, app: str) -> Response:
        """List what the cloud holds about the users of the app's devices."""
        return self.respond_rows(UserFactsSerializer, registry.user_facts_of(self.app(app)))

    @endpoint("set_many_user_facts", CountSerializer, body=ManyUserFactsSerializer, needs=VOUCH)
    def post(self, request: Request, app: str) -> Response:
        """Hold facts about the users of many devices at once, at most 10000.

        The facts of a device replace all that were held for it. They count in rules as `user.<name>` and for exclusive
        files, and take precedence over the facts in a device's credential. Either all are stored or none.
        """
        held = self.body(ManyUserFactsSerializer)["facts"]
        changed = facts.set_user_facts(app=self.app(app), facts=held, actor=self.actor, now=self.now)
        return self.respond(CountSerializer, {"changed": changed})


class HeldFactsOfDevice(OneApp):
    @endpoint("get_user_facts", UserFactsSerializer, needs=ROLE)
    def get(self, request: Request, app: str, device: str) -> Response:
        """Return what the cloud holds about the user of one device."""
        return self.respond(UserFactsSerializer, registry.user_facts_of(self.app(app)).get(device=device))

    @endpoint("set_user_facts", status=204, body=NewUserFactsSerializer, needs=VOUCH)
    def put(self, request: Request, app: str, device: str) -> Response:
        """Hold facts about the user of one device, replacing earlier ones.

        The device need not be known yet. Without any fact nothing is held any more.
        """
        held = self.body(NewUserFactsSerializer)["facts"]
        facts.set_user_facts(app=self.app(app), facts={device: held}, actor=self.actor, now=self.now)
        return Response(status=204)

    @endpoint("clear_user_facts", status=204, needs=VOUCH)
    def delete(self, request: Request, app: str, device: str) -> Response:
        """Delete all facts held about the user of one device."""
        facts.set_user_facts(app=self.app(app), facts={device: None}, actor=self.actor, now=self.now)
        return Response(status=204)
