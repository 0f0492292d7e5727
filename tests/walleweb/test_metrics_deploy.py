"""Dashboard, alerts and guide speak of metrics that exist, with labels that they have."""

import json
import re
from itertools import product
from pathlib import Path

import promql_parser as promql
import pytest
import yaml

from tests.test_docs import ROOT, anchors
from walleweb.metrics import broker, database, gateway, live, serving, tunnels, web

DASHBOARD = ROOT / "deploy" / "grafana" / "walle.json"
ALERTS = ROOT / "deploy" / "prometheus" / "alerts.yml"
GUIDE = ROOT / "docs" / "guides" / "monitoring.md"
INSTALLATION = GUIDE.with_name("production.md")

PARTS = (broker, gateway, live, serving, tunnels, web)
FAMILIES = (*database.families(), *(family for part in PARTS for family in part.FAMILIES))
SCRAPED = {"instance", "job"}
# Of Prometheus itself, and of its client library: what every process has.
STANDARD = dict.fromkeys(("up", "process_cpu_seconds_total", "process_resident_memory_bytes"), SCRAPED)


def series():
    """Every name that can be asked for, with its labels."""
    found = dict(STANDARD)
    for family in FAMILIES:
        labels = SCRAPED | set(family.labels)
        suffixes = {"_count": set(), "_sum": set(), "_bucket": {"le"}} if family.kind == "histogram" else {"": set()}
        found |= {family.name + suffix: labels | more for suffix, more in suffixes.items()}
    return found


SERIES = series()


class Mistake(Exception):
    """An expression that could never mean anything."""


def labels_of(expression):
    """The labels of what a PromQL expression yields; raises Mistake for names and labels that do not exist."""
    match expression:
        case promql.VectorSelector():
            return labels_of_selector(expression)
        case promql.MatrixSelector():
            return labels_of_selector(expression.vector_selector)
        case promql.ParenExpr() | promql.UnaryExpr() | promql.SubqueryExpr():
            return labels_of(expression.expr)
        case promql.NumberLiteral() | promql.StringLiteral():
            return set()
        case promql.Call():
            found = set().union(*map(labels_of, expression.args))
            return found - {"le"} if expression.func.name == "histogram_quantile" else found
        case promql.AggregateExpr():
            return labels_of_aggregate(expression)
        case promql.BinaryExpr():
            return labels_of_binary(expression)
    raise Mistake(f"{type(expression).__name__} is not understood here")


def labels_of_selector(selector):
    if selector.name not in SERIES:
        raise Mistake(f"there is no {selector.name}")
    require({matcher.name for matcher in selector.matchers.matchers}, SERIES[selector.name])
    return SERIES[selector.name]


def labels_of_aggregate(expression):
    inner = labels_of(expression.expr)
    if str(expression.op) == "topk":
        return inner
    wanted = set(expression.modifier.labels) if expression.modifier else set()
    require(wanted, inner)
    return wanted


def labels_of_binary(expression):
    left, right = labels_of(expression.lhs), labels_of(expression.rhs)
    matching = expression.modifier.matching if expression.modifier else None
    if matching is not None:
        require(set(matching.labels), left)
        require(set(matching.labels), right)
    return right if "group_right" in str(expression.modifier or "") else left


def require(wanted, there):
    if wanted - there:
        raise Mistake(f"there is no label {', '.join(sorted(wanted - there))} among {', '.join(sorted(there))}")


def alerts():
    (group,) = yaml.safe_load(ALERTS.read_text())["groups"]
    return group["rules"]


def panels():
    return [panel for panel in json.loads(DASHBOARD.read_text())["panels"] if panel["type"] != "row"]


@pytest.mark.parametrize(
    "wrong",
    [
        "sum(walle_no_such_thing)",
        "sum by (nonsense) (walle_jobs)",
        'walle_jobs{nonsense="x"}',
        "sum by (kind) (walle_jobs) > on (state) walle_jobs",
        "histogram_quantile(0.5, sum by (le) (rate(walle_job_seconds[5m])))",
        "rate(walle_jobs_finished_totals[5m])",
    ],
)
def test_the_check_finds_mistakes(wrong):
    with pytest.raises(Mistake):
        labels_of(promql.parse(wrong))


@pytest.mark.parametrize("rule", alerts(), ids=lambda rule: rule["alert"])
def test_an_alert_asks_for_what_there_is(rule):
    labels = labels_of(promql.parse(rule["expr"]))
    require(set(re.findall(r"\$labels\.(\w+)", rule["annotations"]["summary"])), labels)
    assert rule["labels"]["severity"] in ("page", "ticket")


@pytest.mark.parametrize("rule", alerts(), ids=lambda rule: rule["alert"])
def test_an_alert_names_a_guide_that_exists(rule):
    page, _, anchor = rule["annotations"]["guide"].partition("#")
    assert (ROOT / page).is_file()
    assert not anchor or anchor in anchors(ROOT / page)


@pytest.mark.parametrize("panel", panels(), ids=lambda panel: panel["title"])
def test_a_panel_asks_for_what_there_is(panel):
    for target in panel["targets"]:
        expression = target["expr"].replace("$__rate_interval", "1m").replace("$app", "shop")
        require(set(re.findall(r"{{(\w+)}}", target["legendFormat"])), labels_of(promql.parse(expression)))


def test_panels_do_not_overlap():
    cells = []
    for panel in json.loads(DASHBOARD.read_text())["panels"]:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        cells += product(range(place["x"], place["x"] + place["w"]), range(place["y"], place["y"] + place["h"]))
    assert len(cells) == len(set(cells))


def test_every_metric_is_looked_at_somewhere():
    """On the dashboard or by an alert; what nobody looks at should not be exposed."""
    texts = DASHBOARD.read_text() + ALERTS.read_text()
    assert [family.name for family in FAMILIES if not re.search(rf"\b{family.name}(_bucket)?\b", texts)] == []


def listed(heading, columns):
    """The rows of the guide's tables whose first column has this heading."""
    found, inside = [], False
    for line in GUIDE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and len(cells) == columns:
            inside = (inside or cells[0] == heading) if not set(line) <= set("|- ") else inside
            if inside and cells[0] != heading and not set(line) <= set("|- "):
                found.append([cell.replace("`", "") for cell in cells])
        else:
            inside = False
    return found


def test_the_guide_lists_every_metric():
    declared = [[f.name, f.kind, ", ".join(f.labels), f.help] for f in FAMILIES]
    assert sorted(listed("Metric", 4)) == sorted(declared)


def test_the_guide_says_what_to_do_about_every_alert():
    assert [row[0] for row in listed("Alert", 3)] == [rule["alert"] for rule in alerts()]
    severities = {rule["alert"]: rule["labels"]["severity"] for rule in alerts()}
    assert {row[0]: row[1] for row in listed("Alert", 3)} == severities


def test_prometheus_is_told_of_the_alerts():
    config = yaml.safe_load((ROOT / "deploy" / "prometheus" / "prometheus.yml").read_text())
    assert [Path(name) for name in config["rule_files"]] == [Path(ALERTS.name)]
    targets = {job["job_name"]: set(job["static_configs"][0]["targets"]) for job in config["scrape_configs"]}
    assert set(targets) == {"walle", "walle-serving"}
    # Those that the guide starts.
    started = re.findall(r"walle-(gateway|web|serving)@(\d+)", INSTALLATION.read_text().partition("\n## systemd")[2])
    ports = {kind: {f"127.0.0.1:{port}" for name, port in started if name == kind} for kind, _ in started}
    assert targets == {"walle": ports["gateway"] | ports["web"], "walle-serving": ports["serving"]}
