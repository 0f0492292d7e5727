"""What people, developers and devices write, one after the other, through addresses that stay the same for years."""

import time
import uuid
from pathlib import Path
from typing import Any

import httpx

from tests.support.waiting import wait_for
from tests.tasks_app.working_copy import GOOD, WorkingCopy

PASSWORD = "a password for a test alone"
# In fields that have been there from the beginning, as older code refuses those that it does not know.
AT_ONCE = {"simulation": False, "stages": [{"kind": "gray", "percent": 100, "dwell_s": 0, "evidence": 0}]}


class Client:
    """Somebody who may do everything, with a device."""

    def __init__(self, port: int, folder: Path) -> None:
        self.port, self.folder = port, folder
        self.address = f"http://127.0.0.1:{port}"
        self.headers: dict[str, str] = {}

    def sign_in(self) -> None:
        """With a password, for a token, as tokens make none."""
        with httpx.Client(base_url=self.address, timeout=60) as browser:
            browser.get("/api/v1/session")
            form = {"username": "root", "password": PASSWORD}
            csrf = {"x-csrftoken": browser.cookies["csrftoken"], "referer": self.address}
            said = browser.post("/api/v1/session", json=form, headers=csrf)
            assert said.status_code == 200, said.text
            csrf["x-csrftoken"] = browser.cookies["csrftoken"]
            made = browser.post("/api/v1/tokens", json={"name": "test"}, headers=csrf)
            assert made.status_code == 201, made.text
        self.token = made.json()["secret"]
        self.headers = {"authorization": f"Bearer {self.token}"}

    def send(self, method: str, path: str, **body: Any) -> Any:
        answer = httpx.request(
            method, f"{self.address}/api/v1/{path}", json=body or None, headers=self.headers, timeout=60
        )
        assert answer.status_code < 300, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    def device(self, path: str, headers: dict[str, str] | None = None, body: Any = None) -> httpx.Response:
        answer = httpx.post(f"{self.address}/walle/v1/{path}", json=body, headers=headers, timeout=60)
        assert answer.status_code < 300, f"{path}: {answer.status_code} {answer.text}"
        return answer


def write_everything(client: Client, name: str) -> None:
    """Each kind of write once; `name` makes what is written another than the last time."""
    client.sign_in()
    key = _app(client, name)
    _people(client, name)
    _push(client, name)
    _release(client, name)
    _device(client, name, key)


def _app(client: Client, name: str) -> str:
    client.send("POST", "apps", slug=name, name=name)
    client.send("POST", f"apps/{name}/versions", version="1.0.0")
    client.send("PUT", f"apps/{name}/facts/user.vip", type="boolean")
    client.send("PUT", f"apps/{name}/lists/testers", devices=["tablet"])
    client.send("POST", f"apps/{name}/bases", shared="https://a.example.org", exclusive="https://b.example.org")
    client.send("PUT", f"apps/{name}/user-facts/tablet", facts={"vip": True})
    client.send("POST", "webhooks", scope=f"app:{name}", url="https://example.com/hook", events=["*"])
    return str(client.send("POST", f"apps/{name}/keys", kind="enrol", label="new")["text"])


def _people(client: Client, name: str) -> None:
    client.send("POST", "scenarios", slug=name)
    client.send("POST", f"apps/{name}/members", user="root", role="owner")
    client.send("POST", f"scenarios/{name}/members", user="root", role="owner")
    client.send("PUT", f"apps/{name}/scenarios/{name}", complete_early=True, note="")


def _push(client: Client, name: str) -> None:
    remote = f"http://git:{client.token}@127.0.0.1:{client.port}/git/{name}.git"
    copy = WorkingCopy(client.folder / name, remote=remote)
    copy.commit(GOOD)
    copy.tag("digits/1.0.0")
    assert "digits/1.0.0" in copy.push("digits", "--tags")


def _release(client: Client, name: str) -> None:
    rule = {"fact": "app_version", "equals": "1.0.0"}
    body = {"app": name, "task": f"{name}/digits", "version": "1.0.0", "rule": rule, "strategy": AT_ONCE}
    release = client.send("POST", "releases", **body)
    client.send("POST", f"releases/{release['id']}/start", reason="")


def _device(client: Client, name: str, key: str) -> None:
    """A device enrols, is offered the version, and reports that a run failed."""
    said = client.device("enrol", body={"app": name, "key": key}).json()
    headers = {
        "walle-device": f'"{said["device"]}";c="{said["credential"]}";n=0',
        "walle-app": f'"{name}";v="1.0.0";os="android"',
    }
    offered = wait_for(lambda: client.device("checkin", headers).headers.get("walle-offers"))
    assert f"{name}/digits" in offered, offered
    report = {
        **{"id": str(uuid.uuid4()), "task": f"{name}/digits", "version": "1.0.0", "manifest": "1" * 64},
        **{"kind": "run", "outcome": "failure", "error_class": "too-large", "at": time.time(), "duration_ms": 12.5},
    }
    taken = client.device("reports", headers, {"reports": [report]}).json()
    assert taken["accepted"] == [report["id"]], taken
    # Check-ins are written from time to time.
    wait_for(lambda: client.send("GET", f"devices?app={name}")["results"])
