"""What devices share changes no answer: a gateway that has seen others answers like one that has seen nobody."""

from __future__ import annotations

import asyncio
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.gateway.simulator import Clock, Cloud, make_gateway
from tests.release.tables import digest, entry
from walle.gateway.application import Gateway
from walle.gateway.checkin import RawCheckIn
from walle.protocol.headers import short_digest

RULES: list[dict[str, Any]] = [
    {"fact": "region", "equals": "eu"},
    {"fact": "battery", "range": {"at_least": 20}},
    {"fact": "user.age_band", "equals": "18-24"},
    {"any": [{"list": "testers"}, {"not": {"fact": "user.age_band", "in": ["18-24", "65+"]}}]},
]
TASKS = ["camera/digits", "shop/recommend"]
VERSIONS = ["1.0.0", "2.0.0"]

tables = st.lists(st.tuples(*map(st.sampled_from, (TASKS, VERSIONS, RULES))), min_size=1, max_size=4).map(
    lambda found: [entry(task, version, rule=rule, release=n) for n, (task, version, rule) in enumerate(found, 1)]
)
check_ins = st.fixed_dictionaries(
    {
        "device": st.sampled_from(["device-1", "device-2"]),
        "facts": st.sampled_from([{}, {"region": "eu"}, {"region": "eu", "battery": 10}, {"battery": 90}]),
        "trusted": st.sampled_from([{}, {"age_band": "18-24"}, {"age_band": "65+"}]),
        "profile": st.sampled_from([{}, {TASKS[0]: short_digest(digest(f"{TASKS[0]} 1.0.0"))}]),
    }
)


def answer(gateway: Gateway, headers: dict[str, str]) -> list[tuple[bytes, bytes]]:
    names = ("Walle-Device", "Walle-App", "Walle-Profile")
    return gateway.check_ins.answer(RawCheckIn(*(headers.get(name, "").encode() for name in names))).headers


@settings(max_examples=settings().max_examples // 2)
@given(st.lists(st.one_of(tables, *[check_ins] * 5), min_size=4, max_size=20))
def test_an_answer_does_not_depend_on_who_was_answered_before(steps: list[Any]) -> None:
    async def walk() -> None:
        first = [entry(f"first/task-{number}", rule=rule, release=number) for number, rule in enumerate(RULES)]
        cloud = Cloud(entries=first, lists={"testers": {"device-2"}})
        known = make_gateway(cloud, Clock())
        for step in steps:
            if isinstance(step, list):
                cloud.entries = step
                cloud.publish()
            else:
                fresh = make_gateway(cloud, Clock())
                await known.tables.refresh()
                await fresh.tables.refresh()
                headers = cloud.headers(**step)
                assert answer(known, headers) == answer(fresh, headers)
                (noted,) = known.buffer.drain()
                assert noted == fresh.buffer.drain()[0]

    asyncio.run(walk())
