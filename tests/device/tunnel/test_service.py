"""The tunnel of a device against a cloud over real WebSockets; time and chance are the tests'."""

from __future__ import annotations

import random

import pytest

from tests.device.conftest import TASK
from walle.device.tunnel import spooling
from walle.device.tunnel.answers import FeatureAnswer
from walle.device.tunnel.service import ABSENT_S
from walle.protocol import tunnel_frames as wire
from walle.protocol.headers import Offer, write_offers


async def settled(tunnel):
    """All that was uploaded is acknowledged."""
    await tunnel.until(lambda: tunnel.service.connected and not tunnel.service.counts()["waiting"])


async def test_what_a_manifest_chooses_goes_up_and_is_acknowledged(tunnel, cloud):
    tunnel.upload({"y": 1, "z": [1, 2]}, upload={"outputs": ["y"]}, tracked_at=1_699_999_999.5)
    tunnel.upload({"y": 2}, upload={"outputs": ["y"], "when": "unsure"})
    tunnel.upload({"y": 3, "unsure": True}, upload={"when": "unsure"})
    tunnel.upload({"y": 4}, upload=None)
    tunnel.upload({"y": 5}, upload={}, stream={"private": True})
    await settled(tunnel)
    assert cloud.values == [{"y": 1}, {"y": 3, "unsure": True}]
    [first, _] = cloud.features
    assert (first.sequence, first.at_ms, first.tracked_ms) == (1, 1_700_000_000_000, 1_699_999_999_500)
    counts = tunnel.service.counts()
    assert (counts["features"], counts["connects"], counts["dropped"]) == (2, 1, 0)
    assert counts["raw_bytes"] == len('{"y":1}{"y":3,"unsure":true}')
    assert tunnel.names() == ["tunnel-opened"]


async def test_the_handshake_is_that_of_a_check_in(tunnel, cloud):
    await tunnel.until(lambda: tunnel.service.connected)
    [headers] = cloud.handshakes
    assert {name: headers[name] for name in tunnel.headers} == tunnel.headers
    assert headers["Sec-WebSocket-Protocol"] == "walle.tunnel.1"
    assert "Origin" not in headers
    assert "Sec-WebSocket-Extensions" not in headers


async def test_each_version_of_a_task_is_a_stream_of_its_own(tunnel, cloud):
    for version in ("1.0.0", "2.0.0", "1.0.0"):
        tunnel.upload({"v": version}, version=version)
    tunnel.upload({"v": "other"}, task="camera/other")
    await settled(tunnel)
    assert [(stream.stream, stream.task) for stream in cloud.streams] == [(1, TASK), (2, TASK), (3, "camera/other")]
    assert len({stream.manifest for stream in cloud.streams}) == 3
    assert [feature.stream for feature in cloud.features] == [1, 2, 1, 3]


async def test_what_was_uploaded_without_a_cloud_goes_up_after_a_restart(start, cloud):
    cloud.refusal = (503, "")
    before = start()
    for number in range(5):
        before.upload({"n": number})
    await before.service.stop()
    cloud.refusal = None
    after = start()
    after.upload({"n": 5})
    await settled(after)
    assert [values["n"] for values in cloud.values] == [0, 1, 2, 3, 4, 5]
    assert cloud.skips == [cloud.features[-1].sequence]  # the numbers that the first process may have used


async def test_what_was_not_acknowledged_is_sent_again_and_what_was_is_not(start, cloud):
    cloud.acknowledges = False
    before = start()
    before.upload({"n": 1})
    await before.until(lambda: cloud.values)
    before.upload({"n": 2})
    await before.until(lambda: len(cloud.values) == 2)
    await before.service.stop()
    del cloud.stored[cloud.hellos[0].spool][2]  # it had come, and was not stored
    cloud.acknowledges = True
    after = start()
    await settled(after)
    assert [feature.sequence for feature in cloud.features] == [1, 2, 2]
    assert cloud.values == [{"n": 1}, {"n": 2}]


async def test_no_more_is_on_its_way_than_the_window(tunnel, cloud):
    cloud.window, cloud.acknowledges = 300, False
    for number in range(30):
        tunnel.upload({"n": number, "text": random.Random(number).randbytes(40).hex()})
    await tunnel.until(lambda: len(cloud.features) >= 2)
    assert len(cloud.features) == 2
    cloud.window = 150
    cloud.acknowledge()
    await settled(tunnel)
    assert [values["n"] for values in cloud.values] == list(range(30))
    assert cloud.most_unacknowledged <= 300


async def test_a_window_of_nothing_stops_everything(tunnel, cloud):
    cloud.window = 0
    tunnel.upload({"n": 1})
    await tunnel.until(lambda: cloud.streams)
    assert cloud.features == []
    await cloud.send(wire.Acknowledge(0, 10))  # less than the feature: one may go when there is nothing on its way
    await tunnel.until(lambda: cloud.values)


async def test_a_feature_that_is_longer_than_a_message_comes_in_parts(tunnel, cloud):
    long = "".join(chr(33 + (7 * number * number) % 90) for number in range(300_000))
    tunnel.upload({"text": long})
    tunnel.upload({"n": 2})
    await settled(tunnel)
    assert cloud.values == [{"text": long}, {"n": 2}]


async def test_what_is_too_long_or_no_json_is_refused_and_counted(tunnel, cloud):
    tunnel.upload({"text": "x" * (1 << 20)})
    tunnel.upload({"number": float("nan")})
    tunnel.upload({"n": 1})
    await settled(tunnel)
    assert cloud.values == [{"n": 1}]
    assert tunnel.service.counts()["refused"] == 2


async def test_it_connects_again_later_and_later(tunnel, cloud):
    cloud.refusal = (503, "")
    waits = []
    for attempt in range(1, 10):
        await tunnel.until(lambda count=attempt: len(tunnel.notices) == count)
        waits.append(await tunnel.service.turn())
        tunnel.monotonic.now += waits[-1] - 0.001
        await tunnel.service.turn()
        assert len(cloud.handshakes) == attempt
        tunnel.monotonic.now += 0.001
    assert waits == pytest.approx([0.5, 1, 2, 4, 8, 16, 30, 30, 30])
    assert set(tunnel.names()) == {"tunnel-closed"}


@pytest.mark.parametrize(("lasted", "wait"), [(30, 16), (61, 0.5)])
async def test_a_connection_that_lasted_makes_good_for_failures_before(tunnel, cloud, lasted, wait):
    cloud.refusal = (503, "")
    await tunnel.until(lambda: len(tunnel.notices) == 5, pace=1)
    cloud.refusal = None
    await tunnel.until(lambda: tunnel.service.connected, pace=1)
    tunnel.monotonic.now += lasted
    await cloud.open[0].socket.close()
    await tunnel.until(lambda: tunnel.names()[-1] == "tunnel-closed")
    assert await tunnel.service.turn() == pytest.approx(wait)


@pytest.mark.parametrize(("asked", "wait"), [("100", 112.5), ("9" * 400, 97_200)])
async def test_a_server_says_when_to_come_again(tunnel, cloud, asked, wait):
    cloud.refusal, cloud.told = (503, "busy"), {"Walle-Retry-After": asked}
    await tunnel.until(lambda: tunnel.notices)
    assert await tunnel.service.turn() == pytest.approx(wait)


@pytest.mark.parametrize(("status", "code"), [(404, ""), (403, "tunnel-closed"), (400, "app-unknown"), (301, "")])
async def test_a_server_without_a_tunnel_is_left_alone_quietly(tunnel, cloud, status, code):
    cloud.refusal, cloud.told = (status, code), {"Location": "/walle/v1/elsewhere"}
    await tunnel.until(lambda: cloud.handshakes)
    tunnel.upload({"n": 1})
    await tunnel.until(lambda: tunnel.service._connecting is None)
    tunnel.monotonic.now += 2
    assert await tunnel.service.turn() == pytest.approx(0.75 * ABSENT_S - 2)
    assert (tunnel.notices, tunnel.check_ins.answers, len(cloud.handshakes)) == ([], [], 1)
    cloud.refusal = None
    tunnel.monotonic.now += ABSENT_S
    await settled(tunnel)
    assert cloud.values == [{"n": 1}]


async def test_nothing_is_tried_before_the_device_is_enrolled(tunnel, cloud):
    tunnel.headers.clear()
    assert await tunnel.service.turn() is None
    assert cloud.handshakes == []


async def test_a_refused_credential_is_renewed_by_the_check_ins(tunnel, cloud):
    cloud.refusal = (401, "credential-expired")
    await tunnel.until(lambda: tunnel.check_ins.answers)
    assert [answer.error for answer in tunnel.check_ins.answers] == ["credential-expired"]
    tunnel.check_ins.enrolled = False
    tunnel.monotonic.now += 60
    await tunnel.service.turn()
    assert len(cloud.handshakes) == 1
    tunnel.check_ins.enrolled, cloud.refusal = True, None
    await tunnel.until(lambda: tunnel.service.connected)


async def test_a_credential_that_was_renewed_meanwhile_is_not_given_up(tunnel, cloud):
    cloud.refusal = (401, "credential-expired")
    await tunnel.service.turn()
    tunnel.headers["Walle-Device"] = '"device-1";c="a newer one"'
    await tunnel.until(lambda: tunnel.notices)
    assert tunnel.check_ins.answers == []


async def test_a_revoked_device_stays_away(tunnel, cloud):
    cloud.refusal = (401, "device-revoked")
    await tunnel.until(lambda: tunnel.check_ins.answers)
    assert tunnel.check_ins.answers[0].error == "device-revoked"
    assert await tunnel.service.turn() == pytest.approx(0.75 * ABSENT_S)


async def test_a_drain_is_followed_within_its_time_and_loses_nothing(tunnel, cloud):
    await tunnel.until(lambda: tunnel.service.connected)
    await cloud.send(wire.Drain(8000))
    cloud.acknowledges = False
    tunnel.upload({"n": 1})
    await tunnel.until(lambda: cloud.values)
    assert await tunnel.service.turn() == pytest.approx(1.0)  # the sync of the spool
    tunnel.monotonic.now += 3.9
    await tunnel.service.turn()
    assert tunnel.service.connected
    tunnel.monotonic.now += 0.2
    cloud.acknowledges = True
    cloud.stored.clear()
    await tunnel.until(lambda: len(cloud.hellos) == 2)
    await settled(tunnel)
    assert cloud.values == [{"n": 1}]
    assert "tunnel-closed" not in tunnel.names()


async def test_a_profile_is_said_when_it_changes(tunnel, cloud):
    await tunnel.until(lambda: tunnel.service.connected)
    await tunnel.service.turn()
    tunnel.headers["Walle-Profile"] = "camera/digits;d=:BBBBBBBBBBBBBBBB:"
    await tunnel.until(lambda: cloud.profiles)
    await tunnel.service.turn()
    tunnel.upload({"n": 1})
    await settled(tunnel)
    assert cloud.profiles == [b"camera/digits;d=:BBBBBBBBBBBBBBBB:"]


async def test_a_feature_that_the_cloud_does_not_take_goes_alone_and_is_given_up(tunnel, cloud):
    cloud.refuses = lambda values: values["n"] == 2
    for number in range(5):
        tunnel.upload({"n": number})
    await tunnel.until(lambda: tunnel.service.counts()["given_up"], pace=1)
    await tunnel.until(lambda: len(cloud.values) == 4, pace=1)
    assert [values["n"] for values in cloud.values] == [0, 1, 3, 4]
    assert tunnel.service.counts()["given_up"] == 1


async def test_a_cloud_that_has_more_than_was_made_gets_another_spool(tunnel, cloud):
    await tunnel.until(lambda: tunnel.service.connected)
    cloud.stored[cloud.hellos[0].spool][99] = {"n": "of a folder that was restored since"}
    tunnel.upload({"n": 1})
    await cloud.open[0].socket.close()
    await tunnel.until(lambda: "damaged" in tunnel.names(), pace=1)
    tunnel.upload({"n": 2})
    await tunnel.until(lambda: len(cloud.values) == 2, pace=1)
    _, second = dict.fromkeys(hello.spool for hello in cloud.hellos)
    assert cloud.stored[second] == {1: {"n": 2}}


async def test_dropped_features_are_told_and_skipped(start, cloud, monkeypatch):
    monkeypatch.setattr(spooling, "MAX_PENDING", 3)
    tunnel = start()
    for number in range(5):
        tunnel.upload({"n": number})
    await settled(tunnel)
    assert [values["n"] for values in cloud.values] == [2, 3, 4]
    await tunnel.until(lambda: "features-dropped" in tunnel.names())
    assert tunnel.service.counts()["dropped"] == 2
    [notice] = [notice for notice in tunnel.notices if notice.name == "features-dropped"]
    assert notice.data == {"count": 2}


async def test_an_answer_is_handed_over_with_what_was_sent(tunnel, cloud):
    tunnel.upload({"n": 1}, upload={"answer_ms": 5000})
    tunnel.upload({"n": 2}, upload={"answer_ms": 5000})
    tunnel.upload({"n": 3})
    await settled(tunnel)
    assert [feature.answer_ms for feature in cloud.features] == [5000, 5000, 0]
    for frame in (
        wire.Answer(2, wire.NO_ANSWER, b"nobody knows"),
        wire.Answer(1, wire.ANSWERED, b'{"yes":true}'),
        wire.Answer(1, wire.ANSWERED, b'{"yes":false}'),
        wire.Answer(3, wire.ANSWERED, b"{}"),
    ):
        await cloud.send(frame)
    await tunnel.until(lambda: len(tunnel.answers) == 2)
    tunnel.upload({"n": 4})
    await settled(tunnel)
    assert tunnel.answers == [
        (TASK, {"n": 2}, FeatureAnswer("none", reason="nobody knows")),
        (TASK, {"n": 1}, FeatureAnswer("answered", {"yes": True})),
    ]


@pytest.mark.parametrize("body", [b"no json", b"[1]"])
async def test_an_answer_that_is_not_readable_is_none(tunnel, cloud, body):
    tunnel.upload({"n": 1}, upload={"answer_ms": 5000})
    await settled(tunnel)
    await cloud.send(wire.Answer(1, wire.ANSWERED, body))
    await tunnel.until(lambda: tunnel.answers)
    assert tunnel.answers[0][2].status == "none"


async def test_an_answer_that_does_not_come_has_timed_out_at_its_deadline(tunnel, cloud):
    tunnel.upload({"n": 1}, upload={"answer_ms": 5000})
    await settled(tunnel)
    tunnel.clock.now += 4.9
    await tunnel.service.turn()
    assert tunnel.answers == []
    tunnel.clock.now += 0.1
    await tunnel.service.turn()
    assert [answer.status for _, _, answer in tunnel.answers] == ["timed-out"]
    await cloud.send(wire.Answer(1, wire.ANSWERED, b"{}"))
    tunnel.upload({"n": 2})
    await settled(tunnel)
    assert len(tunnel.answers) == 1


async def test_the_deadline_of_an_answer_outlives_the_process(start, cloud):
    before = start()
    before.upload({"n": 1}, upload={"answer_ms": 5000})
    before.upload({"n": 2}, upload={"answer_ms": 60_000})
    await settled(before)
    await before.service.stop()
    after = start(clock=before.clock)
    after.clock.now += 6
    await after.service.turn()
    assert [(values, answer.status) for _, values, answer in after.answers] == [({"n": 1}, "timed-out")]
    await after.until(lambda: after.service.connected)
    await cloud.send(wire.Answer(2, wire.ANSWERED, b'{"yes":1}'))
    await after.until(lambda: len(after.answers) == 2)
    assert after.answers[1][1:] == ({"n": 2}, FeatureAnswer("answered", {"yes": 1}))


async def test_offers_go_to_the_check_ins_and_are_acknowledged(tunnel, cloud):
    await tunnel.until(lambda: tunnel.service.connected)
    await cloud.send(wire.Offers(7, b"no list of offers"))
    offer = Offer(TASK, "remove", b"{}", b"signature", "key-1", "k1.1.2.3.4.mac")
    await cloud.send(wire.Offers(8, write_offers([offer]).encode()))
    await tunnel.until(lambda: cloud.received)
    assert cloud.received == [8]
    [answer] = tunnel.check_ins.answers
    assert (answer.offers, answer.pushed) == ((offer,), True)


async def test_a_cloud_that_talks_nonsense_is_left(tunnel, cloud):
    await tunnel.until(lambda: tunnel.service.connected)
    await cloud.open[0].socket.send(b"nonsense")
    await tunnel.until(lambda: "tunnel-closed" in tunnel.names())
    assert not tunnel.service.connected
