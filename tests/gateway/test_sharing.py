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

entries = st.lists(
    st.builds(entry, st.sampled_from(TASKS), st.sampled_from(VERSIONS), rule=st.sampled_from(RULES)), max_size=3
)
check_ins = st.fixed_dictionaries(
    {
        "device": st.sampled_from(["device-1", "device-2"]),
        "facts": st.fixed_dictionaries(
            {}, optional={"region": st.just("eu"), "battery": st.sampled_from([10, 20, 90])}
        ),
        "trusted": st.sampled_from([{}, {"age_band": "18-24"}, {"age_band": "65+"}]),
        "profile": st.dictionaries(st.sampled_from(TASKS), st.sampled_from(VERSIONS)).map(
            lambda found: {task: short_digest(digest(f"{task} {version}")) for task, version in found.items()}
        ),
    }
)


def answer(gateway: Gateway, headers: dict[str, str]) -> list[tuple[bytes, bytes]]:
    names = ("Walle-Device", "Walle-App", "Walle-Profile")
    return gateway.check_ins.answer(RawCheckIn(*(headers.get(name, "").encode() for name in names))).headers


@settings(max_examples=150)
@given(st.lists(st.one_of(entries, check_ins, check_ins, check_ins), max_size=12))
def test_an_answer_does_not_depend_on_who_was_answered_before(steps: list[Any]) -> None:
    async def walk() -> None:
        cloud = Cloud(lists={"testers": {"device-2"}})
        known = make_gateway(cloud, Clock())
        for step in steps:
            if isinstance(step, list):
                cloud.entries = step
                cloud.publish()
            else:
                fresh = make_gateway(cloud, Clock())
                await known.holder.refresh()
                await fresh.holder.refresh()
                headers = cloud.headers(**step)
                assert answer(known, headers) == answer(fresh, headers)
                (noted,) = known.buffer.drain()
                assert noted == fresh.buffer.drain()[0]

    asyncio.run(walk())
