"""Each parameter is in memory once, verified, and evicted only while nobody uses it."""

import hashlib
import os
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.whitebox.runtime.errors import ParameterUnavailable
from walle.whitebox.runtime.ledger import ParameterLedger
from walle.whitebox.runtime.parameter_store import ParameterStore, part_of
from walle.whitebox.runtime.sealed_memory import map_sealed
from walle.whitebox.runtime.verified_files import VerifiedFiles
from walle.whitebox.zero_packing import pack_zeros

LARGE = 8192
"""Numbers of a parameter that is mapped; ten are one that is read."""


@dataclass(frozen=True)
class Reference:
    digest: str
    dtype: str
    shape: tuple[int, ...]
    start: int = 0
    stop: int | None = None
    packed: bool = False


def written(folder, array, **part):
    """The reference to an array whose file is in the folder."""
    raw = array.tobytes()
    digest = hashlib.sha256(raw).hexdigest()
    (folder / f"{digest}.bin").write_bytes(raw)
    return Reference(digest, array.dtype.str, array.shape, **part)


@pytest.mark.parametrize("count", [0, 10, LARGE])
def test_an_array_is_what_was_written_and_read_only(tmp_path, count):
    array = np.arange(count, dtype="<f8").reshape(-1, 2)
    got = ParameterStore(tmp_path, 1 << 20).get(written(tmp_path, array))
    np.testing.assert_array_equal(got, array)
    assert got.dtype == array.dtype
    with pytest.raises(ValueError, match="read-only"):
        got[...] = 1


def test_a_part_of_the_last_axis_is_a_view_of_the_whole(tmp_path):
    array = np.arange(2 * LARGE, dtype="<f8").reshape(2, LARGE)
    store = ParameterStore(tmp_path, 1 << 20)
    part = store.get(written(tmp_path, array, start=3, stop=7))
    np.testing.assert_array_equal(part, array[:, 3:7])
    assert np.shares_memory(part, store.get(written(tmp_path, array)))
    assert store.statistics().mapped_bytes == array.nbytes


@pytest.mark.parametrize("count", [10, LARGE])
def test_a_corrupt_file_is_found_and_named_and_others_are_not_concerned(tmp_path, count):
    bad, good = (written(tmp_path, np.full(count, value)) for value in (1.0, 2.0))
    path = tmp_path / f"{bad.digest}.bin"
    raw = bytearray(path.read_bytes())
    raw[5] ^= 1
    path.write_bytes(raw)
    store = ParameterStore(tmp_path, 1 << 20)
    with pytest.raises(ParameterUnavailable, match=f"{bad.digest[:16]} is corrupt"):
        store.get(bad)
    assert store.get(good)[0] == 2.0
    assert store.statistics().corrupt == (bad.digest,)


def test_a_corrupt_file_is_replaced_by_an_intact_one(tmp_path):
    (tmp_path / "store").mkdir()
    intact = written(tmp_path, np.arange(10.0))
    (tmp_path / "store" / f"{intact.digest}.bin").write_bytes(b"x" * 80)
    store = ParameterStore(tmp_path / "store", 1 << 20)
    with pytest.raises(ParameterUnavailable, match="corrupt"):
        store.get(intact)
    assert not store.has(intact.digest)
    store.install(intact.digest, tmp_path / f"{intact.digest}.bin")
    assert store.get(intact)[9] == 9.0
    assert store.statistics().corrupt == ()


def test_what_is_missing_of_another_size_or_misnamed_is_refused_by_name(tmp_path):
    store = ParameterStore(tmp_path, 1 << 20)
    known = written(tmp_path, np.arange(10.0))
    for reference, problem in (
        (Reference("0" * 64, "<f8", (10,)), "is missing"),
        (Reference(known.digest, "<f8", (11,)), "80 bytes; <f8 of shape \\(11,\\) was expected"),
        (Reference(known.digest, "<f8", (9,)), "80 bytes; <f8 of shape \\(9,\\) was expected"),
        (Reference("../../etc/passwd", "|u1", (1,)), "SHA-256"),
    ):
        with pytest.raises(ParameterUnavailable, match=problem):
            store.get(reference)


def test_a_file_is_verified_once_by_all_processes_until_it_changes(tmp_path, monkeypatch):
    read = []
    from walle.whitebox.runtime import parameter_store

    digest_of = parameter_store.digest_of
    monkeypatch.setattr(parameter_store, "digest_of", lambda descriptor: read.append(1) or digest_of(descriptor))
    known = written(tmp_path, np.arange(LARGE * 1.0))
    for _ in range(2):
        ParameterStore(tmp_path, 1 << 20).get(known)
    assert len(read) == 1
    (tmp_path / f"{known.digest}.bin").write_bytes(np.arange(LARGE * 1.0).tobytes())
    ParameterStore(tmp_path, 1 << 20).get(known)
    assert len(read) == 2


def test_half_a_line_of_the_log_waits_for_its_other_half(tmp_path):
    digest, state = "a" * 64, (1, 2, 3, 4)
    VerifiedFiles(tmp_path).add(digest, state)
    log = tmp_path / "verified"
    line = log.read_bytes()
    log.write_bytes(line[:70])
    reader = VerifiedFiles(tmp_path)
    assert not reader.has(digest, state)
    log.write_bytes(line)
    assert reader.has(digest, state)


def test_a_torn_line_of_the_log_says_nothing(tmp_path):
    known = written(tmp_path, np.arange(10.0))
    ParameterStore(tmp_path, 1 << 20).get(known)
    log = tmp_path / "verified"
    whole = log.read_bytes()
    log.write_bytes(b"garbage\n" + whole[:-1])
    (tmp_path / f"{known.digest}.bin").write_bytes(b"x" * 80)
    with pytest.raises(ParameterUnavailable, match="corrupt"):
        ParameterStore(tmp_path, 1 << 20).get(known)


@pytest.mark.parametrize("count", [10, LARGE])
def test_an_array_stays_what_it_was_when_its_file_is_overwritten_or_cut(tmp_path, count):
    known = written(tmp_path, np.arange(count * 1.0))
    array = ParameterStore(tmp_path, 1 << 20).get(known)
    path = tmp_path / f"{known.digest}.bin"
    with path.open("r+b") as file:
        file.write(bytes(count * 4))
    np.testing.assert_array_equal(array, np.arange(count * 1.0))
    path.write_bytes(b"")
    np.testing.assert_array_equal(array, np.arange(count * 1.0))


@pytest.mark.parametrize("count", [10, LARGE])
def test_another_process_is_given_what_it_cannot_change(tmp_path, count):
    known = written(tmp_path, np.arange(count * 1.0))
    store = ParameterStore(tmp_path, 1 << 20)
    shared = store.shared(known.digest)
    if shared.memory is None:
        whole = np.frombuffer(shared.raw, np.uint8)
    else:
        whole = map_sealed(shared.memory)
        for change in (lambda: os.pwrite(shared.memory, b"x", 0), lambda: os.ftruncate(shared.memory, 8)):
            with pytest.raises(PermissionError):
                change()
    np.testing.assert_array_equal(part_of(whole, known), np.arange(count * 1.0))


@pytest.mark.parametrize("count", [10, LARGE])
def test_packed_numbers_are_kept_without_their_zeros_for_other_processes_too(tmp_path, count):
    array = np.where(np.arange(count) % 5, 0.0, 1.5)
    known = written(tmp_path, array.reshape(2, -1), packed=True)
    store = ParameterStore(tmp_path, 1 << 20)
    found = store.get(known)
    np.testing.assert_array_equal(found, pack_zeros(array))
    assert found.nbytes == store.statistics().mapped_bytes
    with pytest.raises(ValueError, match="read-only"):
        found[...] = 1
    (key,) = _used(store, known)
    shared = store.shared(key)
    whole = np.frombuffer(shared.raw, np.uint8) if shared.memory is None else map_sealed(shared.memory)
    np.testing.assert_array_equal(part_of(whole, known), found)


@pytest.mark.parametrize("count", [10, LARGE])
def test_packed_numbers_are_verified_and_of_the_size_that_was_said(tmp_path, count):
    known, spoilt = (written(tmp_path, np.arange(count) + first, packed=True) for first in (1.0, 2.0))
    (tmp_path / f"{spoilt.digest}.bin").write_bytes(np.zeros(count).tobytes())
    store = ParameterStore(tmp_path, 1 << 20)
    with pytest.raises(ParameterUnavailable, match=f"has {count} numbers"):
        store.get(replace(known, shape=(count + 64,)))
    odd = written(tmp_path, np.zeros(9, np.uint8), packed=True)
    with pytest.raises(ParameterUnavailable, match="numbers of 8 bytes"):
        store.get(odd)
    with pytest.raises(ParameterUnavailable, match="is corrupt"):
        store.get(spoilt)
    assert store.get(known).size > count


def test_packed_numbers_whose_file_was_overwritten_are_used_on_and_named_by_the_audit(tmp_path):
    array = np.arange(LARGE * 1.0)
    known = written(tmp_path, array, packed=True)
    store = ParameterStore(tmp_path, 1 << 20)
    found = store.get(known)
    (tmp_path / f"{known.digest}.bin").write_bytes(np.full(LARGE, 3.0).tobytes())
    assert store.audit() == {known.digest}
    np.testing.assert_array_equal(store.get(known), pack_zeros(array))
    np.testing.assert_array_equal(found, pack_zeros(array))


def damage(path):
    with path.open("r+b") as file:
        file.write(b"damaged!")


@pytest.mark.parametrize("change", [lambda path: None, lambda path: path.unlink(), damage])
def test_packed_numbers_are_kept_for_the_next_start_unless_they_changed(tmp_path, monkeypatch, change):
    from walle.whitebox.runtime import parameter_store

    packed = []
    monkeypatch.setattr(parameter_store, "pack_zeros", lambda numbers: packed.append(1) or pack_zeros(numbers))
    array = np.arange(LARGE * 1.0)
    known = written(tmp_path, array, packed=True)
    for _ in range(2):
        np.testing.assert_array_equal(ParameterStore(tmp_path, 1 << 20).get(known), pack_zeros(array))
    assert len(packed) == 1
    kept = tmp_path / f"{known.digest}.packed"
    change(kept)
    changed = not kept.exists() or kept.read_bytes() != pack_zeros(array).tobytes()
    np.testing.assert_array_equal(ParameterStore(tmp_path, 1 << 20).get(known), pack_zeros(array))
    assert len(packed) == 1 + changed


def test_packed_numbers_that_cannot_be_kept_are_used_all_the_same(tmp_path):
    array = np.arange(LARGE * 1.0)
    known = written(tmp_path, array, packed=True)
    (tmp_path / f"{known.digest}.packed").mkdir()
    np.testing.assert_array_equal(ParameterStore(tmp_path, 1 << 20).get(known), pack_zeros(array))
    assert not list(tmp_path.glob("*.part"))


def _used(store, *known):
    """The keys of parameters that a plan uses."""
    lease = store.lease()
    for each in known:
        lease.get(each)
    return lease.keys


def test_an_audit_finds_what_was_overwritten_after_it_was_mapped(tmp_path):
    touched, spoilt = (written(tmp_path, np.full(LARGE, value)) for value in (1.0, 2.0))
    store = ParameterStore(tmp_path, 1 << 20)
    lease = store.lease()
    lease.get(touched), lease.get(spoilt)
    assert store.audit() == frozenset()
    (tmp_path / f"{touched.digest}.bin").write_bytes(np.full(LARGE, 1.0).tobytes())
    (tmp_path / f"{spoilt.digest}.bin").write_bytes(np.full(LARGE, 3.0).tobytes())
    assert store.audit() == {spoilt.digest}
    assert store.audit() == frozenset()
    assert not store.has(spoilt.digest)
    assert lease.get(spoilt)[0] == 2.0


def test_memory_is_counted_with_and_without_sharing(tmp_path):
    store = ParameterStore(tmp_path, 1 << 20)
    shared, own = written(tmp_path, np.arange(LARGE * 1.0)), written(tmp_path, np.arange(10.0))
    leases = [store.lease(), store.lease(), store.lease()]
    for lease in leases:
        lease.get(shared), lease.get(shared)
    leases[0].get(own)
    found = store.statistics()
    assert (found.shared_bytes, found.unshared_bytes) == (8 * LARGE + 80, 3 * 8 * LARGE + 80)
    for lease in leases:
        lease.close()
    assert (store.statistics().shared_bytes, store.statistics().mapped_bytes) == (0, 8 * LARGE + 80)


def test_what_is_in_use_is_never_evicted_and_an_array_outlives_its_eviction(tmp_path):
    first, second, third = (written(tmp_path, np.full(LARGE, value)) for value in (1.0, 2.0, 3.0))
    store = ParameterStore(tmp_path, 2 * 8 * LARGE)
    lease = store.lease()
    lease.get(first)
    kept = store.get(second)
    assert store.get(third)[0] == 3.0
    assert store.statistics().evicted == 1
    assert kept[LARGE - 1] == 2.0
    lease.get(third)
    with pytest.raises(ParameterUnavailable, match="does not fit"):
        store.get(second)
    lease.close()
    assert store.get(second)[0] == 2.0


def test_prefaulting_maps_every_page(tmp_path):
    known = written(tmp_path, np.arange(LARGE * 1.0))
    store = ParameterStore(tmp_path, 1 << 20)
    before = _mapped_kb()
    store.prefault([known.digest])
    assert _mapped_kb() - before >= 8 * LARGE // 1024


def _mapped_kb():
    """How much of parameters is in this process's page tables."""
    total, inside = 0, False
    with open("/proc/self/smaps") as maps:
        for line in maps:
            if line[0] in "0123456789abcdef":
                inside = "walle-parameter" in line
            elif inside and line.startswith("Rss:"):
                total += int(line.split()[1])
    return total


steps = st.lists(st.tuples(st.sampled_from(["map", "use", "release", "unmap"]), st.sampled_from("abcdef")), max_size=80)


@given(steps, st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 9), min_size=6, max_size=6), st.integers(0, 30))
def test_the_ledger_stays_within_its_capacity_and_never_names_what_is_in_use(steps, sizes, capacity):
    ledger = ParameterLedger(capacity)
    users = {}
    for what, digest in steps:
        if what == "map" and digest not in ledger:
            going = ledger.room_for(sizes[digest])
            in_use = sum(sizes[each] for each, count in users.items() if count)
            assert (going is None) == (in_use + sizes[digest] > capacity)
            if going is None:
                continue
            assert not any(users[each] for each in going)
            for each in going:
                ledger.unmap(each)
                del users[each]
            ledger.map(digest, sizes[digest])
            users[digest] = 0
        elif digest in users and what == "use":
            ledger.use(digest)
            users[digest] += 1
        elif users.get(digest) and what == "release":
            ledger.release(digest)
            users[digest] -= 1
        elif digest in users and what == "unmap" and not users[digest]:
            ledger.unmap(digest)
            del users[digest]
        assert ledger.mapped_bytes == sum(sizes[each] for each in users) <= capacity
        assert ledger.shared_bytes == sum(sizes[each] for each, count in users.items() if count)
        assert ledger.unshared_bytes == sum(sizes[each] * count for each, count in users.items())
        assert all(ledger.users(each) == count for each, count in users.items())
