"""Everything a device must not believe, each with a really manipulated document, and what it reports about it."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from securesystemslib.signer import CryptoSigner

from tests.device.conftest import FACTS, TASK
from walle.conformance.client.repository import Keys
from walle.device.errors import RootRefused
from walle.device.link.reports import UNKNOWN_VERSION
from walle.device.storage.disk import Disk
from walle.protocol import headers as wire
from walle.protocol.documents import Variant
from walle.protocol.reports import Report
from walle.protocol.signing import make_root, open_envelope, sign

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
    assert [notice.data["code"] for notice in device.told("refused")] == [code] * len(device.told("refused"))
    assert device.told("refused")
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


async def test_an_assignment_with_another_payload_than_was_signed(published, devices):
    published.mangle = lambda offer: replace(offer, assignment=offer.assignment.replace(b'"number":', b'"number": '))
    await refused(published, devices, code="wrong-signature")


async def test_an_assignment_signed_by_a_stranger(published, devices):
    stranger = CryptoSigner.generate_ed25519()
    published.mangle = lambda offer: signed_again(offer, stranger)
    await refused(published, devices, code="wrong-signature")


async def test_an_assignment_signed_by_a_stranger_under_the_right_key_id(published, devices):
    stranger = CryptoSigner.generate_ed25519()
    published.mangle = lambda offer: replace(signed_again(offer, stranger), key_id=offer.key_id)
    await refused(published, devices, code="wrong-signature")


async def test_an_assignment_signed_by_the_key_for_manifests(published, devices):
    published.mangle = lambda offer: signed_again(offer, published.keys.targets)
    await refused(published, devices, code="wrong-signature")


async def test_an_assignment_that_is_no_assignment(published, devices):
    published.mangle = lambda offer: signed_again(offer, published.keys.timestamp, type="walle-table")
    await refused(published, devices, code="document-malformed")


@pytest.mark.parametrize("changes", [{"app": "other-app"}, {"task": OTHER}, {"action": "remove", "manifest": None}])
async def test_an_assignment_of_another_app_task_or_action(published, devices, changes):
    published.mangle = lambda offer: signed_again(offer, published.keys.timestamp, **changes)
    await refused(published, devices, code="mixed")


async def test_an_assignment_whose_time_is_over(published, devices):
    published.lifetime = -3600
    await refused(published, devices, code="expired")


async def test_an_assignment_of_an_older_table(published, devices):
    device = await devices.start()
    device.store.see_number("shop", published.number + 1)
    await device.agent.once()
    assert [notice.data["code"] for notice in device.told("refused")] == ["rolled-back"]
    assert device.version() is None


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


def with_envelope(repository, offer: wire.Offer, envelope: bytes) -> wire.Offer:
    found = repository.put(envelope)
    url = f"/walle/v1/artifacts/{found['digest']}"
    return replace(offer, url=url, digest=bytes.fromhex(found["digest"]), size=found["size"])


async def test_a_manifest_signed_by_a_stranger(published, devices):
    payload = published.tasks[TASK].manifest.payload
    envelope = sign("manifest", payload, [CryptoSigner.generate_ed25519()])
    published.mangle = lambda offer: with_envelope(published, offer, envelope)
    await refused(published, devices, code="wrong-signature")


async def test_a_manifest_signed_by_the_key_for_assignments(published, devices):
    envelope = sign("manifest", published.tasks[TASK].manifest.payload, [published.keys.timestamp])
    published.mangle = lambda offer: with_envelope(published, offer, envelope)
    await refused(published, devices, code="wrong-signature")


async def test_a_manifest_without_a_signature(published, devices):
    envelope = sign("manifest", published.tasks[TASK].manifest.payload, [])
    published.mangle = lambda offer: with_envelope(published, offer, envelope)
    await refused(published, devices, code="unsigned")


async def test_a_bare_manifest_without_an_envelope(published, devices):
    published.mangle = lambda offer: with_envelope(published, offer, published.tasks[TASK].manifest.payload)
    await refused(published, devices, code="unsigned")


async def test_a_variant_statement_in_the_place_of_a_manifest(published, devices):
    """Same signer, another kind of document: the signature covers the kind."""
    envelope = sign("variant", published.tasks[TASK].manifest.payload, [published.keys.targets])
    published.mangle = lambda offer: with_envelope(published, offer, envelope)
    await refused(published, devices, code="unsigned")


async def test_a_genuine_manifest_of_an_older_version(published, devices):
    """Mix and match: every document is genuine, only not these two together."""
    old = published.tasks[TASK].envelope
    published.publish(TASK, "2.0.0", {"main.py": b"two"})
    published.mangle = lambda offer: with_envelope(published, offer, old)
    await refused(published, devices, code="mixed")


async def test_a_genuine_manifest_of_another_task(published, devices):
    envelope = published.publish(OTHER, "1.0.1", {"main.py": b"faces"}) and published.tasks.pop(OTHER).envelope
    manifest = json.loads(open_envelope("manifest", envelope).payload)
    assert manifest["task"] == "faces"
    digest = __import__("hashlib").sha256(open_envelope("manifest", envelope).payload).hexdigest()
    published.mangle = lambda offer: with_envelope(
        published, signed_again(offer, published.keys.timestamp, manifest=digest), envelope
    )
    await refused(published, devices, code="mixed")


async def test_an_envelope_with_another_content_than_offered(published, devices):
    published.blobs[
        next(digest for digest, data in published.blobs.items() if data == published.tasks[TASK].envelope)
    ] = published.tasks[TASK].envelope[:-2] + b" }"
    await refused(published, devices, code="digest-mismatch")


@pytest.mark.parametrize("path", ["../evil.py", "/etc/passwd", "a//b", "a\\b", "", "a/../b", "x" * 201])
async def test_a_path_that_leaves_the_bundle(published, devices, path):
    published.publish(TASK, "2.0.0", {"main.py": b"two", path: b"evil"})
    device = await refused(published, devices, code="document-malformed")
    assert not list(device.store.root.parent.rglob("evil.py"))


@pytest.mark.parametrize("paths", [("main.py", "main.py/x"), ("a/b", "a/b/c/d")])
async def test_a_file_where_a_folder_must_be(published, devices, paths):
    published.publish(TASK, "2.0.0", dict.fromkeys(paths, b"two"))
    await refused(published, devices, code="document-malformed")


async def test_a_default_that_the_manifest_does_not_have(published, devices):
    exclusive = [{"path": "prefs.json", "template": "{age}", "default": "none.json"}]
    published.publish(TASK, "2.0.0", {"main.py": b"two"}, exclusive=exclusive)
    await refused(published, devices, code="document-malformed")


async def test_a_task_of_a_kind_that_this_device_does_not_know(repository, devices):
    published = repository.publish(TASK, "1.0.0", {"main.py": b"one"}, kind="pipeline")
    await refused(repository, devices, code="kind-unknown")
    (report,) = repository.reports
    said = "camera/digits 1.0.0 is a task of the kind pipeline, known is device"
    assert (report["manifest"], report["message"]) == (published.digest, said)
    assert "kind" not in repository.requests[-1].headers["walle-app"]


async def test_a_task_of_a_kind_that_this_device_knows(repository, devices):
    repository.publish(TASK, "1.0.0", {"main.py": b"one"}, kind="pipeline")
    device = await devices.start(facts=replace(FACTS, kinds=frozenset({"device", "pipeline"})))
    await device.agent.once()
    assert device.version() == "1.0.0"
    assert repository.requests[-1].headers["walle-app"].endswith(";kind-pipeline")


async def test_a_requirement_that_this_device_does_not_meet(published, devices):
    published.publish(TASK, "2.0.0", {"main.py": b"two"}, requires={"modules": ["telepathy"]})
    device = await devices.start(requirements=lambda requires: [f"no module {requires['modules'][0]}"])
    await device.agent.once()
    assert [notice.data["code"] for notice in device.told("refused")] == ["requirement-unmet"]
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
    told = device.told("refused") + device.told("postponed")
    assert [notice.data["code"] for notice in told] == [code]
    assert device.version() is None
    assert not device.store.files.path(digest).exists()
    if code != "unreachable":
        assert published.reports[0]["error_class"] == code
        assert published.reports[0]["version"] == "1.0.0"
        assert not device.store.files.partial(digest).path.exists()


EXCLUSIVE = [{"path": "prefs.json", "template": "{age}"}]


@pytest.fixture
def exclusive(published):
    published.publish(TASK, "2.0.0", {"main.py": b"two"}, exclusive=EXCLUSIVE)
    published.variants["device-1", "prefs.json"] = b"mine"
    return published


def statement(repository, signer: CryptoSigner, data: bytes = b"mine", **changes) -> str:
    found = repository.put(data)
    variant = Variant(repository.tasks[TASK].manifest.digest, "prefs.json", "key", found["digest"], found["size"])
    return wire.write_variant(sign("variant", replace(variant, **changes).to_dict(), [signer]))


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"manifest": "0" * 64}, "mixed"),
        ({"path": "other.json"}, "mixed"),
        ({"digest": "0" * 64}, "digest-mismatch"),
        ({"size": 2}, "too-large"),
        ({"size": 2**40}, "too-large"),
    ],
)
async def test_a_statement_about_another_file(exclusive, devices, changes, code):
    header = statement(exclusive, exclusive.keys.targets, **changes)
    exclusive.variant = lambda *_: (b"mine", header)
    await refused(exclusive, devices, code=code)


async def test_a_statement_signed_by_a_stranger(exclusive, devices):
    header = statement(exclusive, exclusive.keys.timestamp)
    exclusive.variant = lambda *_: (b"mine", header)
    await refused(exclusive, devices, code="wrong-signature")


async def test_a_statement_that_cannot_be_read(exclusive, devices):
    exclusive.variant = lambda *_: (b"mine", "nonsense")
    await refused(exclusive, devices, code="header-malformed")


async def test_another_devices_content_under_this_statement(exclusive, devices):
    header = statement(exclusive, exclusive.keys.targets)
    exclusive.variant = lambda *_: (b"your", header)
    await refused(exclusive, devices, code="digest-mismatch")


async def test_an_envelope_larger_than_a_device_takes(published, devices):
    published.mangle = lambda offer: replace(offer, size=1 << 30)
    await refused(published, devices, code="too-large")


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


async def test_a_bundle_larger_than_a_device_takes(published, devices):
    entries = json.loads(published.tasks[TASK].manifest.payload)["files"]
    published.publish(TASK, "2.0.0", {}, files=[{**entries[0], "size": 1 << 40}])
    await refused(published, devices, code="too-large")


async def test_a_refusal_is_reported_once_and_tried_again_ever_more_rarely(published, devices):
    digest = published.tasks[TASK].manifest.files[0].digest
    genuine, published.blobs[digest] = published.blobs[digest], b"onf"
    device = await devices.start()
    for _ in range(5):
        await device.agent.once()
    assert len(published.reports) == 1
    assert len(published.seen(f"/artifacts/{digest}")) == 1
    published.blobs[digest] = genuine
    device.clock.now += 60
    await device.agent.once()
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
    assert len(device.told("refused")) >= 3
    assert [report["error_class"] for report in published.reports] == ["wrong-signature"]


@pytest.mark.parametrize("draw", [0.0, 0.999])
async def test_after_a_refusal_at_least_half_the_time_is_waited_that_it_may_take(published, devices, draw):
    """However low the draw: a device that tried again at once would fetch the same file over and over."""
    digest = published.tasks[TASK].manifest.files[0].digest
    published.blobs[digest] = b"onf"
    device = await devices.start(draw=lambda: draw)
    for tried, longest in enumerate((30, 60, 120), 1):
        await device.agent.once()
        assert len(published.seen(f"/artifacts/{digest}")) == tried
        waited = longest / 2 * (1 + draw)
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


async def test_a_refused_removal_is_reported_as_one(published, devices):
    device = await devices.start()
    await device.agent.once()
    published.remove(TASK)
    published.mangle = lambda offer: signed_again(offer, CryptoSigner.generate_ed25519())
    await device.agent.once()
    assert device.version() == "1.0.0"
    assert [r["error_class"] for r in published.reports if r["kind"] == "remove"] == ["wrong-signature"]


# -- roots


def second_root(repository, **more):
    keys = Keys()
    options = {"version": 2, "expires": datetime(2100, 1, 1, tzinfo=UTC), "signers": [repository.keys.root, keys.root]}
    return make_root(holders=keys.holders(), **{**options, **more})


async def test_a_root_that_its_predecessor_did_not_sign(published, devices):
    stranger = Keys()
    published.roots[2] = make_root(2, datetime(2100, 1, 1, tzinfo=UTC), stranger.holders(), [stranger.root])
    device = await devices.start()
    await device.agent.once()
    assert [notice.data["code"] for notice in device.told("refused")] == ["root-refused"]
    assert device.version() is None


async def test_a_root_that_skips_a_version(published, devices):
    published.roots[2] = second_root(published, version=3)
    device = await devices.start()
    await device.agent.once()
    assert device.told("refused")[0].data["code"] == "root-refused"


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"nonsense"])
async def test_a_root_that_is_none(published, devices, data):
    published.roots[2] = data or b" "
    device = await devices.start()
    await device.agent.once()
    assert device.told("refused")[0].data["code"] == "root-refused"


async def test_an_app_that_ships_no_valid_root(published, devices):
    with pytest.raises(RootRefused):
        await devices.start(initial_root=b"{}")


async def test_an_expired_root(published, devices):
    published.rotate(expires=datetime(2023, 1, 1, tzinfo=UTC))
    await refused(published, devices, code="expired")
