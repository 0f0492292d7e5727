"""How a task runs, by class of devices."""

from typing import ClassVar

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from kit.api.inputs import StrictSerializer
from kit.api.outputs import Output
from kit.api.schema import endpoint
from tasks_app.api.scenarios import ROLE
from tasks_app.api.tasks import OneTask
from tasks_app.selectors.runs import MOST_DAYS, runs_of


class RunQuantilesSerializer(Output):
    """Half, nine tenths and 99 of 100 values are at most so large, to within 9 %."""

    p50 = serializers.FloatField()
    p90 = serializers.FloatField()
    p99 = serializers.FloatField()


class StartRunsSerializer(Output):
    """Cold runs or warm ones."""

    runs = serializers.IntegerField()
    failed = serializers.IntegerField()
    duration_ms = RunQuantilesSerializer(allow_null=True, help_text="null: no run says how long it took")
    peak_memory_kb = RunQuantilesSerializer(allow_null=True, help_text="null: no run says how much it held")


class VmEndSerializer(Output):
    cause = serializers.CharField(help_text="killed stands for all signals, other for causes that are not known")
    count = serializers.IntegerField()


class ModelBackendSerializer(Output):
    backend = serializers.CharField(help_text="walle, onnxruntime, onnxruntime-int8, mnn, torch; other: none of them")
    runs = serializers.IntegerField(help_text="in which it ran a model")


class ClassRunsSerializer(Output):
    """The runs on some devices."""

    os = serializers.CharField(help_text='empty: not said; "other": none of the known systems')
    performance = serializers.CharField(help_text="low, mid, high or other; empty: not said")
    runs = serializers.IntegerField()
    failed = serializers.IntegerField()
    cold = StartRunsSerializer(help_text="with the runs that do not say how they began")
    warm = StartRunsSerializer()
    shed = serializers.IntegerField(help_text="runs that did not take place, because too many were waiting")
    vm_ends = VmEndSerializer(many=True, help_text="why kept VMs had ended, the most frequent cause first")
    model_backends = ModelBackendSerializer(many=True, help_text="what ran models, the most used first")


class TaskRunsSerializer(Output):
    """How a task has run lately."""

    since = serializers.DateTimeField(help_text="runs are counted from then on")
    all = ClassRunsSerializer(help_text="all devices; os and performance are empty")
    classes = ClassRunsSerializer(many=True, help_text="each class of devices, the most runs first")


class RunsQuery(StrictSerializer):
    days = serializers.IntegerField(default=7, min_value=1, max_value=MOST_DAYS, help_text="how far back")


class TaskRunFigures(OneTask):
    live: ClassVar[frozenset[str]] = frozenset({"since", "all", "classes"})

    @endpoint("get_task_runs", TaskRunsSerializer, query=RunsQuery, needs=ROLE)
    def get(self, request: Request, scenario: str, task: str) -> Response:
        """Return run times, memory and the life of VMs by class of devices, cold and warm runs apart.

        Counted as reports come, in steps of six hours.
        """
        days = self.query(RunsQuery)["days"]
        return self.respond(TaskRunsSerializer, runs_of(self.task(scenario, task), days=days, now=self.now))
