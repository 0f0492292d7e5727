"""REST views that check and preview targeting rules before a release, and the vocabulary of rules."""

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts_app.api.base import ApiView
from devices_app.api.apps import ROLE, OneApp
from devices_app.models import AppFact
from devices_app.selectors.counting import preview
from devices_app.selectors.validation import validation_of
from kit.api.inputs import StrictSerializer
from kit.api.outputs import Output
from kit.api.schema import endpoint
from walle.release.rules import BUILT_IN_FACTS, FACT_TYPES, OPERATORS
from walle.release.rules.operands import FORMS
from walle.release.rules.value_sets import JSON_KINDS


class RuleToValidate(StrictSerializer):
    rule = serializers.DictField(help_text="which devices; docs/guides/targeting.md has the forms of rules")


class RuleToPreview(RuleToValidate):
    exact = serializers.BooleanField(default=False, help_text="count every device, however long that takes")


class PreviewSerializer(Output):
    """The devices that a rule matches now, among the app's devices that are not revoked."""

    count = serializers.IntegerField(source="counted.count", help_text="number of devices that the rule matches")
    exact = serializers.BooleanField(source="counted.exact", help_text="false: an estimate")
    margin = serializers.IntegerField(
        source="counted.margin", help_text="by how much an estimate is off at most, 19 times of 20"
    )
    total = serializers.IntegerField(source="total.count", help_text="number of all devices, estimated in the same way")
    sample = serializers.ListField(
        child=serializers.CharField(),
        help_text="ids of the last registered matching devices, as far as they are found quickly",
    )


class TargetingPreview(OneApp):
    writes = False

    @endpoint("preview_targeting", PreviewSerializer, body=RuleToPreview, needs=ROLE)
    def post(self, request: Request, app: str) -> Response:
        """Count the devices that a rule matches, before it is released.

        Devices count by the facts of their last check-in. For a large fleet the counts are estimates from a sample,
        unless you ask for exact ones. A rule that would be refused in a release is refused here too.
        """
        return self.respond(PreviewSerializer, preview(self.app(app), **self.body(RuleToPreview)))


class RuleFaultSerializer(Output):
    path = serializers.CharField(source="field", help_text="place in the rule, such as rule.any[1].fact")
    expected = serializers.CharField(help_text="what was expected")


class FactAskedSerializer(Output):
    """A fact that the rule uses; type and source are null if no fact of that name is declared."""

    name = serializers.CharField()
    type = serializers.ChoiceField(choices=AppFact.Type.choices, allow_null=True)
    # REST framework removes declared fields from the class, so that this hides no attribute of it.
    source = serializers.ChoiceField(  # type: ignore[assignment]
        choices=AppFact.Source.choices, allow_null=True
    )
    values = serializers.ListField(child=serializers.CharField(), allow_null=True, help_text="all there are; null: any")


class ListAskedSerializer(Output):
    """An id list that the rule uses."""

    name = serializers.CharField()
    size = serializers.IntegerField(allow_null=True, help_text="number of devices; null: no such list exists")


class RuleValidationSerializer(Output):
    """The faults of a rule, and what it uses."""

    valid = serializers.BooleanField(help_text="whether a release with this rule would be accepted")
    faults = RuleFaultSerializer(many=True)
    facts = FactAskedSerializer(many=True)
    lists = ListAskedSerializer(many=True)
    devices = serializers.IntegerField(help_text="single devices that it names")


class TargetingValidation(OneApp):
    writes = False

    @endpoint("validate_targeting", RuleValidationSerializer, body=RuleToValidate, needs=ROLE)
    def post(self, request: Request, app: str) -> Response:
        """List all faults of a rule, each with its place, and what the rule uses.

        Nothing is stored and no device is read: it is fast enough to be called while somebody types.
        """
        found = validation_of(self.app(app), self.body(RuleToValidate)["rule"])
        return self.respond(RuleValidationSerializer, found)


class FactTypeSerializer(Output):
    """A type of facts."""

    name = serializers.CharField()
    json = serializers.ChoiceField(choices=JSON_KINDS, help_text="what its values are in JSON")
    expected = serializers.CharField(help_text="its values in words")
    operators = serializers.ListField(
        child=serializers.CharField(), help_text="operators for this type, the usual one first"
    )


class BoundSerializer(Output):
    name = serializers.CharField(help_text="its key in the operand")
    words = serializers.CharField()


class OperandSerializer(Output):
    """The operand that an operator compares a fact with."""

    form = serializers.ChoiceField(
        choices=FORMS,
        help_text="values: a list; value: a single value; text; notation: text in its own syntax; bounds: an object",
    )
    expected = serializers.CharField(help_text="its JSON in words")
    bounds = BoundSerializer(many=True, help_text="bounds that such an object may have; empty for other forms")


class OperatorSerializer(Output):
    """An operator of rules: `{"fact": ..., name: operand}`."""

    name = serializers.CharField()
    types = serializers.ListField(child=serializers.CharField(), help_text="fact types that the operator accepts")
    words = serializers.CharField(help_text="text between fact and operand")
    operand = OperandSerializer()
    example = serializers.JSONField(help_text="an example of an operand")
    missing = serializers.CharField(allow_null=True, help_text="message for an empty operand; null: it may be empty")


class BuiltInFactSerializer(Output):
    """A fact that every device has."""

    name = serializers.CharField()
    type = serializers.CharField()
    values = serializers.ListField(child=serializers.CharField(), allow_null=True, help_text="all there are; null: any")
    description = serializers.CharField()


class RuleVocabularySerializer(Output):
    """The vocabulary of targeting rules."""

    types = FactTypeSerializer(many=True)
    operators = OperatorSerializer(many=True)
    facts = BuiltInFactSerializer(many=True, help_text="facts that exist without being declared")


class RuleVocabulary(ApiView):
    @endpoint("get_rule_vocabulary", RuleVocabularySerializer)
    def get(self, request: Request) -> Response:
        """Return the vocabulary of rules: the types of facts, the operators, and the facts that every device has.

        It is enough to build a form for rules. It is the same for all apps, and changes only with Walle's version.
        """
        rows = {"types": FACT_TYPES.values(), "operators": OPERATORS.values(), "facts": BUILT_IN_FACTS.values()}
        return self.respond(RuleVocabularySerializer, rows)
