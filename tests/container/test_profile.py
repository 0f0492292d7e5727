"""Profiles as data: what is refused and where, what a system has of its own, which cells a release has."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.container.profile import Cell, Profile, ProfileMalformed, cells, read_profile
from walle.container.requirements import check_requirements

LEAST = {"sdk": "1.0.0", "python": "3.11", "os": {"android": ["14"]}}
FULL = {
    "sdk": "1.0",
    "python": "3.11.7",
    "memory_mb": 512,
    "modules": {"numpy": "2.4", "scipy": "*"},
    "without": ["numpy.einsum", "sqlite3"],
    "operators": {"math": ["sqrt", "exp"], "numpy.linalg": ["norm"]},
    "os": {"android": ["13", "14"], "ios": {"17.4": {"memory_mb": 256, "without": ["ctypes"]}, "18": {}}},
}

names = st.from_regex(r"[a-z_][a-z0-9_]{0,7}", fullmatch=True).filter(lambda name: name not in ("os", "io", "abc"))
modules = st.dictionaries(names, st.sampled_from(["*", "1", "2.4", "2.4.6"]), max_size=3)
own = st.fixed_dictionaries(
    {"sdk": st.sampled_from(["1.0.0", "2.1"]), "python": st.sampled_from(["3.9", "3.11", "3.13.1"])},
    optional={
        "memory_mb": st.none() | st.integers(1, 65536),
        "modules": modules,
        "without": st.lists(names, max_size=3),
    },
)
special = st.fixed_dictionaries(
    {}, optional={"memory_mb": st.integers(1, 65536), "modules": modules, "without": st.lists(names, max_size=3)}
)
versions = st.sampled_from(["9", "13", "14", "17.4"])
systems = st.dictionaries(
    st.sampled_from(["android", "ios", "linux"]),
    st.lists(versions, min_size=1, max_size=3, unique=True)
    | st.dictionaries(versions, special, min_size=1, max_size=3),
    min_size=1,
)
profiles = st.builds(lambda profile, os: {**profile, "os": os}, own, systems)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["3.11", "1.0.0", "14"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*FULL, "android", "numpy"]) | st.text(max_size=5), inner, max_size=5)
    ),
    max_leaves=12,
)


def test_a_full_profile_gives_each_system_its_own():
    read = read_profile(FULL)
    assert list(read) == [("android", "13"), ("android", "14"), ("ios", "17.4"), ("ios", "18")]
    android, ios = read["android", "13"], read["ios", "17.4"]
    assert read["ios", "18"] == android
    assert (android.sdk, android.python, android.memory_mb) == ("1.0.0", "3.11.7", 512)
    assert android.modules == {"numpy": "2.4", "scipy": "*"}
    assert (ios.memory_mb, ios.without) == (256, ("numpy.einsum", "sqlite3", "ctypes"))
    assert (ios.modules, ios.operators) == (android.modules, android.operators)


@given(profiles)
def test_what_a_system_declares_stands_in_the_place_of_the_rest_and_leaves_out_more(declared):
    for (system, version), profile in read_profile(declared).items():
        given_of_all = declared["os"][system]
        given_here = given_of_all[version] if isinstance(given_of_all, dict) else {}
        expected = {**declared, **given_here}
        assert profile.memory_mb == expected.get("memory_mb")
        assert profile.modules == expected.get("modules", {})
        assert set(profile.without) == {*declared.get("without", []), *given_here.get("without", [])}
        assert Profile(**json.loads(json.dumps(profile.to_dict()))).to_dict() == json.loads(
            json.dumps(profile.to_dict())
        )


def read_or_refusal(value):
    try:
        return read_profile(value), None
    except ProfileMalformed as refusal:
        return None, refusal


@given(profiles, json_values, st.data())
def test_whatever_is_written_is_read_or_refused_with_a_path(declared, value, data):
    place = data.draw(st.sampled_from([*FULL, "unknown"]))
    for candidate in (value, {**declared, place: value}, {**declared, "os": {"android": value, "ios": {"17": value}}}):
        read, refusal = read_or_refusal(candidate)
        assert bool(read) != bool(refusal)
        if refusal:
            for problem in refusal.problems:
                assert problem.field.startswith("profile")
                assert len(problem.text) < 1000


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"sdk": "new"}, "profile.sdk: expected the version of the Walle runtime in the app"),
        ({"python": "2.7"}, "profile.python: expected the version of Python in the app, such as \"3.11\", found '2.7'"),
        ({"python": 3.11}, "profile.python: expected the version of Python"),
        ({"memory_mb": 0}, "profile.memory_mb: expected an integer of at least 1 and at most 65536, or null, found 0"),
        ({"memory_mb": True}, "profile.memory_mb: expected an integer"),
        ({"modules": ["numpy.linalg"]}, "profile.modules[0]: expected names of modules without dots"),
        ({"modules": {"numpy": 2.4}}, 'profile.modules.numpy: expected the beginning of its version'),
        ({"modules": "numpy"}, "profile.modules: expected modules with their versions"),
        ({"without": "sqlite3"}, "profile.without: expected a list of at most 2000 names of modules and functions"),
        ({"without": ["sys"]}, "profile.without[0]: expected nothing that every Python needs, such as sys"),
        ({"without": ["builtins.open"]}, "profile.without[0]: expected nothing that every Python needs"),
        ({"without": ["a b"]}, "profile.without[0]: expected names of modules and functions, such as numpy.einsum"),
        ({"operators": {"scipy": ["x"]}}, "profile.operators.scipy: expected a module that the profile has"),
        ({"operators": {"os": ["getcwd"]}}, "profile.operators.os: expected no module that every Python needs"),
        ({"operators": {"math": [1]}}, "profile.operators.math[0]: expected names of its functions, found 1"),
        ({"os": {}}, "profile.os: expected the systems and their versions, such as"),
        ({"os": {"Android": ["14"]}}, "profile.os.Android: expected a system's name such as android or ios"),
        ({"os": {"android": []}}, "profile.os.android: expected its versions"),
        ({"os": {"android": [14]}}, "profile.os.android[0]: expected versions as text, such as"),
        ({"os": {"android": ["14", "14"]}}, "profile.os.android[1]: expected no duplicate, found '14'"),
        ({"os": {"ios": {"17": {"memory": 5}}}}, "profile.os.ios.17.memory: expected one of the keys memory_mb,"),
        ({"os": {"ios": {"17": {"os": {}}}}}, "profile.os.ios.17.os: expected one of the keys"),
        ({"memory": 5}, "profile.memory: expected one of the keys memory_mb, modules, operators, os, python, sdk, "
                        'without, found an unknown key (did you mean "memory_mb"?)'),
    ],
)  # fmt: skip
def test_each_fault_is_named_with_its_place(changes, text):
    with pytest.raises(ProfileMalformed) as refused:
        read_profile({**LEAST, **changes})
    assert len(refused.value.problems) == 1
    assert str(refused.value).startswith(text)


def refused_fields(value):
    with pytest.raises(ProfileMalformed) as refused:
        read_profile(value)
    return [problem.field for problem in refused.value.problems]


def test_all_faults_are_named_together():
    wrong = {
        **{"python": 3.11, "memory": 1, "modules": {"a b": "1", "numpy": 2}, "without": ["sys", "a b"]},
        "os": {"android": [14], "ios": {"17": {"memory_mb": 0, "operators": {"scipy": []}}}},
    }
    assert sorted(refused_fields(wrong)) == [
        *("profile.memory", "profile.modules.'a b'", "profile.modules.numpy", "profile.os.android[0]"),
        *("profile.os.ios.17.memory_mb", "profile.python", "profile.sdk", "profile.without[0]", "profile.without[1]"),
    ]


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({"operators": {"scipy": [], "json.x": []}}, ["profile.operators.scipy"]),
        ({"modules": ["scipy"], "operators": {"scipy.x": []}, "without": ["scipy.x"]}, ["profile.operators.'scipy.x'"]),
        ({"modules": ["scipy"], "operators": {"scipy.x": []}, "without": ["scipy.x.y", "scipy.xx"]}, []),
        ({"operators": {"scipy": []}, "os": {"ios": {"17": {"modules": ["scipy"]}}}}, []),
        ({"operators": {"csv": []}, "os": {"ios": {"17": {"without": ["csv"]}, "18": {}}}}, ["profile.operators.csv"]),
        ({"operators": {"a": []}, "os": {"ios": {"17": {"operators": {"b": []}}}}}, ["profile.os.ios.17.operators.b"]),
        ({"operators": {"a": []}, "os": {"ios": ["17", "18"], "android": ["14"]}}, ["profile.operators.a"]),
    ],
)
def test_operators_are_of_modules_that_each_version_has(changes, fields):
    if fields:
        assert refused_fields({**LEAST, **changes}) == fields
    else:
        assert read_profile({**LEAST, **changes})


@given(modules, st.lists(names | st.just("a.b"), max_size=3), names | st.just("a.b.c"))
def test_a_module_is_there_unless_it_or_what_holds_it_is_left_out(modules, without, module):
    profile = Profile("1.0.0", "3.11", modules=modules, without=tuple(without))
    known = module.split(".")[0] in {*modules, *sys.stdlib_module_names}
    assert profile.has(module) == (known and not any(f"{module}.".startswith(f"{name}.") for name in without))


@pytest.mark.parametrize("name", LEAST)
def test_what_nobody_can_guess_has_to_be_declared(name):
    with pytest.raises(ProfileMalformed, match=rf"^profile\.{name}: expected"):
        read_profile({key: value for key, value in LEAST.items() if key != name})


@pytest.mark.parametrize("value", [None, [], "x", 5, {}])
def test_no_profile_is_no_profile(value):
    with pytest.raises(ProfileMalformed):
        read_profile(value)


def test_a_profile_meets_requirements_as_a_device_does():
    profile = read_profile({**FULL, "modules": ["numpy"]})["android", "14"]
    cell = Cell("1.4.0", "android", "14")

    def unmet(**requires):
        return [
            str(one) for one in check_requirements(requires, profile.facts(cell, tuple(requires.get("modules", ()))))
        ]

    assert unmet(app=">=1.4", runtime=">=1.0.0", python=">=3.11", os={"android": ">=14"}) == []
    assert unmet(modules=["numpy", "numpy.linalg", "csv"]) == []
    assert unmet(modules=["scipy", "sqlite3"]) == [
        "modules: expected scipy, found no such module",
        "modules: expected sqlite3, found no such module",
    ]
    assert unmet(python=">=3.12") == ["python: expected >=3.12, found 3.11.7"]
    assert unmet(runtime=">=2") == ["runtime: expected >=2, found 1.0.0"]
    assert unmet(os={"ios": ">=15"}) == ["os: expected one of ios, found android"]


# -- cells ---------------------------------------------------------------------------------------------------


def test_cells_are_the_versions_and_systems_that_can_be_meant():
    declared = {"10.0.0": LEAST, "9.1.0": {**LEAST, "os": {"android": ["13", "14"], "ios": ["17"]}}, "odd": LEAST}
    found = cells(declared, lambda facts: facts.get("os") != "ios" and facts["app_version"] != "odd")
    assert list(map(str, found.profiles)) == [
        "app 9.1.0 on android 13",
        "app 9.1.0 on android 14",
        "app 10.0.0 on android 14",
    ]
    assert found.problems == {}


def test_a_version_without_a_profile_is_a_problem_only_where_it_is_meant():
    declared = {"1.0.0": {}, "2.0.0": {"sdk": "1.0.0"}, "3.0.0": LEAST}
    assert cells(declared, lambda facts: facts["app_version"] == "3.0.0").problems == {}
    assert cells(declared, lambda facts: True).problems == {
        "1.0.0": "app 1.0.0: no profile is declared",
        "2.0.0": "app 2.0.0: its profile is malformed: profile.python: expected the version of Python in the app, "
        'such as "3.11", found nothing; profile.os: expected the systems and their versions, such as '
        '{"android": ["13", "14"]}, found nothing',
    }


@given(st.dictionaries(st.sampled_from(["1.0.0", "1.10.0", "2.0.0", "x"]), profiles | st.just({})), st.sets(versions))
def test_every_version_that_can_be_meant_has_cells_or_a_problem(declared, wanted):
    found = cells(declared, lambda facts: facts.get("os_version", "13") in {*wanted, "13"})
    assert set(found.problems) == {version for version, profile in declared.items() if not profile}
    for cell, profile in found.profiles.items():
        assert profile == read_profile(declared[cell.app_version])[cell.os, cell.os_version]
        assert cell.os_version in {*wanted, "13"}
    assert not {cell.app_version for cell in found.profiles} & set(found.problems)


# -- the guide -----------------------------------------------------------------------------------------------

GUIDE = (Path(__file__).resolve().parents[2] / "docs" / "guides" / "simulation.md").read_text()


def test_the_guides_profile_is_one():
    body = re.search(r"```http\nPATCH \S+\n(.*?)```", GUIDE, re.DOTALL)[1]
    read = read_profile(json.loads(body)["profile"])
    assert set(read) == {("android", "13"), ("android", "14"), ("ios", "17"), ("ios", "18")}
    assert read["ios", "17"].without == ("numpy.einsum", "numpy.fft", "sqlite3", "ctypes")


def test_the_guide_lists_every_key_and_which_are_required():
    rows = dict(re.findall(r"^\| `(\w+)` \| (yes|no) \|", GUIDE, re.MULTILINE))
    with pytest.raises(ProfileMalformed) as refused:
        read_profile({"odd": 1})
    assert refused.value.problems[0].expected == f"one of the keys {', '.join(sorted(rows))}"
    assert {name for name, required in rows.items() if required == "yes"} == set(LEAST)
