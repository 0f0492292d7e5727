"""What a serving process tells of answers of a cascade."""

import json

from tests.whitebox.cascades.programs import cascaded, cheap_words
from tests.whitebox.pipelines import data_of, sentiment
from tests.whitebox.serving.simulator import ADDRESS, LengthEngine, Site
from walle.whitebox.runtime.served_plan import ServedPlan
from walle.whitebox.runtime.service import Runtime
from walle.whitebox.serving.engine import RecordAnswer


class CascadingEngine(LengthEngine):
    """The engine of tests, whose prefix is sure of texts that begin with `sure`."""

    def _predict(self, plan, index, record):
        found = super()._predict(plan, index, record)
        if isinstance(found, RecordAnswer) and record["text"] != "no cascade":
            return found._replace(cascade=record["text"].startswith("sure"))
        return found


async def test_answers_and_counts_say_what_the_prefix_answered(tmp_path):
    site = Site(tmp_path)
    site.release("1.0.0", bias=0.0)
    site.engine = CascadingEngine()
    async with site.serving() as client:
        texts = ["sure of it", "not so", "no cascade"]
        one = await client.post(ADDRESS, json={"record": {"text": texts[0]}, "caller": "user-1"})
        many = await client.post(ADDRESS, json={"records": [{"text": each} for each in texts], "caller": "user-1"})
        assert one.json()["prediction"]["cascade"] is True
        assert [each.get("cascade") for each in many.json()["predictions"]] == [True, False, None]
        assert site.process.counts.cascaded == {("shop", "reviews/mood", "1.0.0"): 2}


def test_a_runtime_answers_with_a_cascade_what_its_plan_does(tmp_path):
    runtime = Runtime(tmp_path)
    for program in (sentiment(), cheap_words()):
        for digest, raw in data_of(program).items():
            (runtime.store.folder / f"{digest}.bin").write_bytes(raw)
    runtime.register("plan", ServedPlan.of(cascaded()), engine="request-response")
    sure, unsure = (runtime.predict("plan", {"review": text}) for text in ("aa aa aa", "ab cd"))
    assert (sure.cascade, unsure.cascade) == (True, False)
    assert runtime.statistics()["plans"]["plan"]["shared_stages"] == 0
    json.dumps(runtime.statistics())
