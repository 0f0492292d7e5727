"""Serializers of a person's own e-mail."""

from typing import Final

from rest_framework import serializers

from accounts_app.api.serializers import ScopeInput
from kit.api.inputs import StrictSerializer
from kit.api.outputs import Output, RowOutput
from walle.mail.addresses import MAX_ADDRESS, AddressRefused, check_address
from walle.mail.kinds import MailKind
from webhooks_app.models import Mail

MAIL_KINDS: Final = [str(kind) for kind in MailKind]
MOST_SCOPES: Final = 100


class MailSerializer(RowOutput):
    """A message to you, without its text."""

    class Meta:
        model = Mail
        fields = ["id", "purpose", "address", "subject", "state", "attempts", "error", "created_at", "finished_at"]


class KindOfMailSerializer(Output):
    kind = serializers.ChoiceField(choices=MAIL_KINDS)
    title = serializers.CharField()
    urgent = serializers.BooleanField(help_text="sent at once; others are gathered for five minutes")


class MailSettingsSerializer(Output):
    available = serializers.BooleanField(
        help_text="false: this server sends no e-mail, until an operator sets WALLE_MAIL_URL and WALLE_MAIL_FROM"
    )
    address = serializers.CharField(help_text="where messages go to; empty: nowhere")
    new_address = serializers.CharField(help_text="an address that you have not confirmed yet; empty: none")
    on = serializers.BooleanField()
    kinds = serializers.ListField(child=serializers.ChoiceField(choices=MAIL_KINDS))
    scopes = serializers.ListField(child=serializers.CharField(), help_text="empty: wherever you may read")
    known_kinds = KindOfMailSerializer(many=True, help_text="all kinds that you can choose")
    last = MailSerializer(allow_null=True, help_text="the newest message to you")


class MailChangeSerializer(StrictSerializer):
    on = serializers.BooleanField(required=False)
    kinds = serializers.ListField(
        child=serializers.ChoiceField(choices=MAIL_KINDS), required=False, max_length=len(MAIL_KINDS)
    )
    scopes = serializers.ListField(
        child=ScopeInput(), required=False, max_length=MOST_SCOPES, help_text="empty: wherever you may read"
    )


class AddressSerializer(StrictSerializer):
    address = serializers.CharField(max_length=MAX_ADDRESS, allow_blank=True, help_text="such as ada@example.com")

    def validate_address(self, value: str) -> str:
        try:
            return check_address(value) if value else ""
        except AddressRefused as error:
            raise serializers.ValidationError(f"{str(error).capitalize()}.") from error


class LinkSerializer(StrictSerializer):
    token = serializers.CharField(max_length=1000, help_text="what follows `confirm=` in the link")
