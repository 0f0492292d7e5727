"""Targeting rules before they are released, and what they can say."""

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
    """What a rule matches now, of the app's devices that are not revoked."""

    count = serializers.IntegerField(source="counted.count", help_text="devices that it matches")
    exact = serializers.BooleanField(source="counted.exact", help_text="false: an estimate")
    margin = serializers.IntegerField(
        source="counted.margin", help_text="by how much an estimate is off at most, 19 times of 20"
    )
    total = serializers.IntegerField(source="total.count", help_text="all of them, estimated likewise")
    sample = serializers.ListField(
        child=serializers.CharField(), help_text="ids of the last registered that match, as far as they are found soon"
    )


class TargetingPreview(OneApp):
    writes = False

    @endpoint("preview_targeting", PreviewSerializer, takes=RuleToPreview, needs=ROLE)
    def post(self, request: Request, app: str) -> Response:
        """Count the devices that a rule matches, before it is released.

        By what the devices said at their last check-in. Of a large fleet the counts are estimates, made from a sample,
        unless you ask for exact ones. A rule that a release would be refused is refused here too.
        """
        return self.respond(PreviewSerializer, preview(self.app(app), **self.body(RuleToPreview)))


class RuleFaultSerializer(Output):
    path = serializers.CharField(source="field", help_text="place in the rule, such as rule.any[1].fact")
    expected = serializers.CharField(help_text="what should be there")


class FactAskedSerializer(Output):
    """A fact that the rule asks for; type and source are null where none of that name is declared."""

    name = serializers.CharField()
    type = serializers.ChoiceField(choices=AppFact.Type.choices, allow_null=True)
    # REST framework takes declared fields out of the class, so that this hides no attribute of it.
    source = serializers.ChoiceField(  # type: ignore[assignment]
        choices=AppFact.Source.choices, allow_null=True
    )
    values = serializers.ListField(child=serializers.CharField(), allow_null=True, help_text="all there are; null: any")


class ListAskedSerializer(Output):
    """An id list that the rule asks for."""

    name = serializers.CharField()
    size = serializers.IntegerField(allow_null=True, help_text="number of devices; null: there is no such list")


class RuleValidationSerializer(Output):
    """What is wrong with a rule, and what it asks for."""

    valid = serializers.BooleanField(help_text="whether a release by it would be accepted")
    faults = RuleFaultSerializer(many=True)
    facts = FactAskedSerializer(many=True)
    lists = ListAskedSerializer(many=True)
    devices = serializers.IntegerField(help_text="single devices that it names")


class TargetingValidation(OneApp):
    writes = False

    @endpoint("validate_targeting", RuleValidationSerializer, takes=RuleToValidate, needs=ROLE)
    def post(self, request: Request, app: str) -> Response:
        """Say all that is wrong with a rule, with the place of each fault, and what it asks for.

        Nothing is stored, and no device is looked at: it is quick enough to be asked while somebody types.
        """
        found = validation_of(self.app(app), self.body(RuleToValidate)["rule"])
        return self.respond(RuleValidationSerializer, found)


class FactTypeSerializer(Output):
    """A type of facts."""

    name = serializers.CharField()
    json = serializers.ChoiceField(choices=JSON_KINDS, help_text="what its values are in JSON")
    expected = serializers.CharField(help_text="its values in words")
    operators = serializers.ListField(child=serializers.CharField(), help_text="that take it, the usual one first")


class BoundSerializer(Output):
    name = serializers.CharField(help_text="as the operand has it")
    words = serializers.CharField()


class OperandSerializer(Output):
    """What an operator compares with."""

    form = serializers.ChoiceField(
        choices=FORMS,
        help_text="values: a list; value: one; text; notation: text by rules of its own; bounds: an object",
    )
    expected = serializers.CharField(help_text="its JSON in words")
    bounds = BoundSerializer(many=True, help_text="that such an object may have; none for other forms")


class OperatorSerializer(Output):
    """A way to ask for a fact: `{"fact": ..., name: operand}`."""

    name = serializers.CharField()
    types = serializers.ListField(child=serializers.CharField(), help_text="that it takes")
    words = serializers.CharField(help_text="to stand between fact and operand")
    operand = OperandSerializer()
    example = serializers.JSONField(help_text="of an operand")
    missing = serializers.CharField(allow_null=True, help_text="what to say of an empty operand; null: it may be empty")


class BuiltInFactSerializer(Output):
    """A fact that every device has."""

    name = serializers.CharField()
    type = serializers.CharField()
    values = serializers.ListField(child=serializers.CharField(), allow_null=True, help_text="all there are; null: any")
    description = serializers.CharField()


class RuleVocabularySerializer(Output):
    """What rules can say of facts."""

    types = FactTypeSerializer(many=True)
    operators = OperatorSerializer(many=True)
    facts = BuiltInFactSerializer(many=True, help_text="beside those that apps declare")


class RuleVocabulary(ApiView):
    @endpoint("get_rule_vocabulary", RuleVocabularySerializer)
    def get(self, request: Request) -> Response:
        """What rules can say of facts: the types of facts, the operators, and the facts that every device has.

        Enough to draw a form for rules from. It is the same for all apps, and changes with Walle's version only.
        """
        rows = {"types": FACT_TYPES.values(), "operators": OPERATORS.values(), "facts": BUILT_IN_FACTS.values()}
        return self.respond(RuleVocabularySerializer, rows)
