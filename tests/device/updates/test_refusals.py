"""Everything a device must not believe, each with a really manipulated document, and what it reports about it."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tests.device.conftest import FACTS, TASK
from walle.device.errors import RootRefused
from walle.device.link.reports import UNKNOWN_VERSION
from walle.device.storage.disk import Disk
from walle.device.updates.requirements import requirements_of
from walle.protocol import headers as wire
from walle.protocol.interpreters import THIS_INTERPRETER
from walle.protocol.reports import Report
from walle.protocol.signing import open_envelope, sign
from walle.protocol.signing_libraries import CryptoSigner

OTHER = "camera/faces"


@pytest.fixture
def published(repository):
    repository.publish(TASK, "1.0.0", {"main.py": b"one"})
    repository.publish(OTHER, "1.0.0", {"main.py": b"faces"})
    del repository.tasks[OTHER]
    return repository


async def refused(repository, devices, *, code: str, reported: bool = True):
    """A device meets the repository and must refuse with this code, install nothing and report it once."""
    device = await devices.start()
    await device.agent.once()
    assert {notice.data["code"] for notice in device.notices_named("refused")} == {code}
    assert device.version() is None
    assert list((device.store.root / "installs").iterdir()) == []
    if reported:
        reports = [report for report in repository.reports if report["task"] == TASK]
        assert [(r["kind"], r["outcome"], r["error_class"]) for r in reports] == [("install", "failure", code)]
        Report.from_dict(reports[0])
    return device


def signed_again(offer: wire.Offer, signer: CryptoSigner, **changes) -> wire.Offer:
    """The offer with a changed assignment, signed by the given key."""
    payload = json.loads(offer.assignment) | changes
    envelope = open_envelope("assignment", sign("assignment", payload, [signer]))
    signature = next(iter(envelope.signatures.values()))
    return replace(
        offer, assignment=envelope.payload, signature=bytes.fromhex(signature.signature), key_id=signature.keyid
    )


async def test_the_number_is_remembered_although_what_follows_is_refused(published, devices):
    published.hidden = {published.tasks[TASK].manifest.files[0].digest}
    device = await refused(published, devices, code="missing")
    again = await devices.restart(device)
    assert again.store.state.highest == {"shop": published.number}


async def test_a_number_that_nobody_signed_is_not_remembered(published, devices):
    stranger = CryptoSigner.generate_ed25519()
    published.mangle = lambda offer: signed_again(offer, stranger, number=10**12)
    device = await refused(published, devices, code="wrong-signature")
    assert device.store.state.highest == {}


async def test_a_task_of_a_kind_that_this_device_does_not_know(repository, devices):
    published = repository.publish(TASK, "1.0.0", {"main.py": b"one"}, kind="pipeline")
    await refused(repository, devices, code="kind-unknown")
    (report,) = repository.reports
    said = "camera/digits 1.0.0 is a task of the kind pipeline; this device knows device, workflow"
    assert (report["manifest"], report["message"]) == (published.digest, said)
    assert "kind-pipeline" not in repository.requests[-1].headers["walle-app"]


async def test_a_task_of_a_kind_that_this_device_knows(repository, devices):
    repository.publish(TASK, "1.0.0", {"main.py": b"one"}, kind="pipeline")
    device = await devices.start(facts=replace(FACTS, kinds=frozenset({"device", "pipeline"})))
    await device.agent.once()
    assert device.version() == "1.0.0"
    assert repository.requests[-1].headers["walle-app"].endswith(";kind-pipeline")


async def test_bytecode_for_another_interpreter_is_refused_before_anything_is_fetched(published, devices):
    bytecode = {"interpreter": "cpython-399", "source": "ab" * 32}
    published.publish(TASK, "2.0.0", {"main.pyc": b"two"}, bytecode=bytecode)
    device = await devices.start(requirements=requirements_of(FACTS))
    await device.agent.once()
    report = published.reports[0]
    assert (report["version"], report["error_class"]) == ("2.0.0", "requirement-unmet")
    assert "interpreter: expected cpython-399, which the bytecode is for, found cpython-3" in report["message"]
    assert published.seen(f"/artifacts/{published.tasks[TASK].manifest.files[0].digest}") == []


async def test_bytecode_for_the_devices_own_interpreter_is_installed(published, devices):
    bytecode = {"interpreter": THIS_INTERPRETER, "source": "ab" * 32}
    published.publish(TASK, "2.0.0", {"main.pyc": b"two"}, bytecode=bytecode)
    device = await devices.start(requirements=requirements_of(FACTS))
    await device.agent.once()
    assert device.version() == "2.0.0"


async def test_a_requirement_that_this_device_does_not_meet(published, devices):
    published.publish(TASK, "2.0.0", {"main.py": b"two"}, requires={"modules": ["telepathy"]})
    device = await devices.start(requirements=lambda manifest: [f"no module {manifest['requires']['modules'][0]}"])
    await device.agent.once()
    assert [notice.data["code"] for notice in device.notices_named("refused")] == ["requirement-unmet"]
    report = published.reports[0]
    assert (report["version"], report["error_class"]) == ("2.0.0", "requirement-unmet")
    assert "telepathy" in report["message"]
    code = published.tasks[TASK].manifest.files[0].digest
    assert published.seen(f"/artifacts/{code}") == [], "nothing is downloaded for a task that cannot run"


@pytest.mark.parametrize(
    ("served", "code"), [(b"onf", "digest-mismatch"), (b"one and more", "too-large"), (b"on", "unreachable")]
)
async def test_a_file_with_another_content_than_was_signed(published, devices, served, code):
    digest = published.tasks[TASK].manifest.files[0].digest
    published.blobs[digest] = served
    device = await devices.start()
    device.parts.check_ins._updater._downloader._attempts = 1
    await device.agent.once()
    notices = device.notices_named("refused") + device.notices_named("postponed")
    assert [notice.data["code"] for notice in notices] == [code]
    assert device.version() is None
    assert not device.store.files.path(digest).exists()
    if code != "unreachable":
        assert published.reports[0]["error_class"] == code
        assert published.reports[0]["version"] == "1.0.0"
        assert not device.store.files.partial(digest).path.exists()


@pytest.mark.parametrize("url", ["http://[bad", "http://host:99999/", "\x7f://", "x" * 70000])
async def test_an_address_that_is_none(published, devices, url):
    published.mangle = lambda offer: replace(offer, url=url)
    published.offers = lambda who, profile: []
    device = await devices.start()
    await device.agent.once()
    offer = replace(published.offer("device-1", TASK), url=url)
    outcome = await device.parts.check_ins._updater.apply(offer, device.parts.check_ins._trust.roots)
    assert outcome.code in ("bad-address", "unreachable", "missing")
    assert device.version() is None


async def test_a_full_disk_is_a_failure_of_this_device_and_reported(published, devices):
    def full(step):
        if step == "install: before rename":
            raise OSError(28, "No space left on device")

    device = await devices.start(disk=Disk(checkpoint=full, sync=False))
    await device.agent.once()
    assert published.reports[0]["error_class"] == "storage"
    assert "No space left" in published.reports[0]["message"]
    again = await devices.restart(device)
    await again.agent.once()
    assert again.version() == "1.0.0"


async def test_a_refusal_is_reported_once_and_tried_again_ever_more_rarely(published, devices):
    digest = published.tasks[TASK].manifest.files[0].digest
    genuine, published.blobs[digest] = published.blobs[digest], b"onf"
    published.lifetime = 10**6
    device = await devices.start(randomness=lambda: 0.0)

    async def tried_after(seconds):
        """Whether it is tried once those seconds have passed since it was tried last, and not a second before."""
        device.clock.now += seconds - 1
        await device.agent.once()
        early = len(published.seen(f"/artifacts/{digest}"))
        device.clock.now += 1
        await device.agent.once()
        return early, len(published.seen(f"/artifacts/{digest}"))

    await device.agent.once()
    found = [await tried_after(seconds) for seconds in (15, 30, 60, 120, 240, 480, 960, 1800, 1800)]
    assert found == [(tries, tries + 1) for tries in range(1, 10)]
    assert len(published.reports) == 1
    published.blobs[digest] = genuine
    assert await tried_after(1800) == (10, 11)
    assert device.version() == "1.0.0"


async def test_the_same_refusal_is_reported_once_however_often_it_is_tried(published, devices):
    digest = published.tasks[TASK].manifest.files[0].digest
    published.blobs[digest] = b"onf"
    device = await devices.start()
    for tried in range(1, 5):
        await device.agent.once()
        assert len(published.seen(f"/artifacts/{digest}")) == tried
        device.clock.now += 3600
    assert [report["error_class"] for report in published.reports] == ["digest-mismatch"]
    published.hidden = {digest}
    await device.agent.once()
    assert [report["error_class"] for report in published.reports] == ["digest-mismatch", "missing"]


async def test_what_is_not_genuine_is_reported_once_however_often_it_comes(published, devices):
    stranger = CryptoSigner.generate_ed25519()
    published.mangle = lambda offer: signed_again(offer, stranger)
    device = await devices.start()
    for _ in range(3):
        await device.agent.once()
    assert len(device.notices_named("refused")) >= 3
    assert [report["error_class"] for report in published.reports] == ["wrong-signature"]


@pytest.mark.parametrize("number", [0.0, 0.999])
async def test_after_a_refusal_at_least_half_the_time_is_waited_that_it_may_take(published, devices, number):
    """However low the random number: a device that tried again at once would fetch the same file over and over."""
    digest = published.tasks[TASK].manifest.files[0].digest
    published.blobs[digest] = b"onf"
    device = await devices.start(randomness=lambda: number)
    for tried, longest in enumerate((30, 60, 120), 1):
        await device.agent.once()
        assert len(published.seen(f"/artifacts/{digest}")) == tried
        waited = longest / 2 * (1 + number)
        device.clock.now += waited - 1
        await device.agent.once()
        assert len(published.seen(f"/artifacts/{digest}")) == tried
        device.clock.now += 2


async def test_what_is_not_genuine_does_not_stand_in_the_way_of_what_is(published, devices):
    stranger = CryptoSigner.generate_ed25519()
    published.mangle = lambda offer: signed_again(offer, stranger)
    device = await refused(published, devices, code="wrong-signature")
    published.mangle = lambda offer: offer
    await device.agent.once()
    assert device.version() == "1.0.0"


async def test_an_unverified_refusal_does_not_claim_a_version(published, devices):
    published.mangle = lambda offer: signed_again(offer, CryptoSigner.generate_ed25519())
    await refused(published, devices, code="wrong-signature")
    assert published.reports[0]["version"] == UNKNOWN_VERSION
    assert published.reports[0]["manifest"] == published.tasks[TASK].manifest.digest


# -- roots


async def test_an_app_that_ships_no_valid_root(published, devices):
    with pytest.raises(RootRefused):
        await devices.start(initial_root=b"{}")


async def test_an_expired_root(published, devices):
    published.rotate(expires=datetime(2023, 1, 1, tzinfo=UTC))
    await refused(published, devices, code="expired")
