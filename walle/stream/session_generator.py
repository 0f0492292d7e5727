"""Sessions of an emulated shop's customers: seeded, with all kinds of events, and with what goes wrong in real ones.

A customer scrolls through a list, opens items, comes from item to recommended item, and goes back. Pages:

| page id | event ids of entering and leaving it |
| --- | --- |
| `list/home`, `list/search` | `list_enter`, `list_exit` |
| `item/<number>` | `item_enter`, `item_exit` |

So the trigger id `item_exit` is the exit from any item's page, and the page id tells the views of different items
apart, also where one is opened above another. Clicks have event ids of their own, such as `add_to_cart`; scrolls and
exposures have those of their kinds. What was searched for is private.

How a customer behaves follows from hidden interests. Each has an interest in each category and an intent to buy. An
item's appeal is the logistic function of the interest in its category, its rating, the intent, and chance. The more an
item appeals, the longer its page is read, the more is clicked there, the likelier it is put into the cart, and the
likelier the next item is of the same category. So a view tells something of the next one, and not all.

A view of an item's page has 19.3 events and 21.2 KB of JSON on average, as in the paper (Walle, section 7.1): most of
the bytes are fields that say the same again and again, such as the device's status. Some pages are opened above others
(nested), some are left only after the next one was entered (interleaved). Of the exits 1 % are missing; 6 % of sessions
break off, as an app that is killed; 1 % of exposures are reported late, after one to four later events.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from walle.stream.events import BehaviourEvent, EventKind

CATEGORIES: Final = (
    *("books", "cosmetics", "dresses", "furniture", "garden", "kitchen"),
    *("laptops", "phones", "shoes", "snacks", "sports", "toys"),
)
ITEMS: Final = 1200
"""How many items the shop has; they are numbered from 0."""
DEEPEST: Final = 3
"""How many item pages lie above each other at most."""
READING: Final[Mapping[str, float]] = {
    "comments": 0.3,
    "photos": 0.4,
    "size": 0.25,
    "service": 0.05,
    "share": 0.04,
    "shop": 0.1,
}
"""What is clicked on an item's page beside the decisions, and how often."""
SECTIONS: Final = ("details", "comments", "recommended", "shop")
MISSING_EXITS, BROKEN_OFF, LATE = 0.01, 0.06, 0.01


def draw_interests(rng: random.Random) -> dict[str, float]:
    """Return a customer's hidden interest in each category."""
    return {category: rng.gauss(0, 1.2) for category in CATEGORIES}


def shop_session(
    rng: random.Random, start: float, interests: Mapping[str, float] | None = None
) -> list[BehaviourEvent]:
    """Return the events of one session that begins at `start` (Unix seconds), in the order of their reporting.

    The same state of `rng` yields the same session. It is one of a customer with these interests, or of a new one.
    """
    customer = _Customer(rng, start, draw_interests(rng) if interests is None else interests)
    customer.browse()
    return _as_reported(rng, customer.events)


@dataclass(frozen=True)
class Item:
    """What the shop says about an item; `rating` is from 3 to 5, `price` in the shop's currency."""

    number: int
    category: str
    price: float
    rating: float

    @property
    def page(self) -> str:
        return f"item/{self.number}"

    @property
    def contents(self) -> dict[str, Any]:
        return {"id": self.number, "category": self.category, "price": self.price, "rating": self.rating}


def item_of(number: int) -> Item:
    """Return an item of the catalogue, which is the same for all customers."""
    price = round(4 * 1.3 ** (number * 7919 % 23) + number % 10 / 10, 2)
    return Item(number, CATEGORIES[number % len(CATEGORIES)], price, 3 + number * 104729 % 21 / 10)


class _Customer:
    """One customer who goes through the shop; `events` are what the app tracks meanwhile, in time order."""

    def __init__(self, rng: random.Random, start: float, interests: Mapping[str, float]) -> None:
        self._rng, self._at, self._interests = rng, start, interests
        self._intent = rng.gauss(0, 1)
        self._seen: set[int] = set()
        self._phone = _Phone(rng)
        self.events: list[BehaviourEvent] = []

    def browse(self) -> None:
        """Look through one or two lists, and open some of what they show."""
        last: tuple[Item, float] | None = None
        for _ in range(self._rng.choice((1, 1, 2))):
            searching = self._rng.random() < 0.4
            page = "list/search" if searching else "list/home"
            private = {"query": f"{self._liked()} on sale"} if searching else {}
            self._track("page_enter", page, "list_enter", {"columns": 2}, private)
            for _ in range(self._rng.randint(1, 3)):
                self._look_through(page)
                item = self._next_item(last)
                self._track("click", page, "open_item", {"item": item.contents})
                last = self._view(item, depth=1)
            self._track("page_exit", page, "list_exit", {})

    def _look_through(self, page: str) -> None:
        for _ in range(self._rng.randint(1, 3)):
            self._track("page_scroll", page, "page_scroll", self._scroll())
            for place in range(self._rng.randint(1, 3)):
                shown = item_of(self._rng.randrange(ITEMS))
                self._track("exposure", page, "exposure", {"item": shown.contents, "place": place})

    def _view(self, item: Item, depth: int, left_behind: Callable[[], None] | None = None) -> tuple[Item, float]:
        """View an item's page, and what is opened from it; return the last item that was viewed, and its appeal."""
        appeal = self._appeal(item)
        self._seen.add(item.number)
        self._track(
            "page_enter", item.page, "item_enter", {"item": item.contents, "from": "list" if depth == 1 else "item"}
        )
        if left_behind is not None:
            left_behind()
        self._read(item, appeal)
        last = item, appeal
        if depth < DEEPEST and self._rng.random() < 0.25 + 0.2 * appeal:
            following = self._next_item(last)
            self._track("click", item.page, "open_item", {"item": following.contents, "section": "recommended"})
            if self._rng.random() < 0.3:
                return self._view(following, depth + 1, left_behind=lambda: self._leave(item))
            last = self._view(following, depth + 1)
        self._leave(item)
        return last

    def _leave(self, item: Item) -> None:
        self._track("page_exit", item.page, "item_exit", {"item": item.contents})

    def _read(self, item: Item, appeal: float) -> None:
        """Read a page: scrolls, exposures and clicks in any order, then what was decided."""
        rng = self._rng
        todo: list[tuple[EventKind, str]] = [("page_scroll", "page_scroll")] * (2 + self._count(1.5 + 3 * appeal))
        todo += [("exposure", "exposure")] * (3 + self._count(2.9 + 4 * appeal))
        todo += [
            ("click", name) for name, rate in READING.items() for _ in range(self._count(rate * (0.6 + 2 * appeal)))
        ]
        rng.shuffle(todo)
        decisions = self._decisions(appeal)
        for kind, name in [*todo, *(("click", each) for each in decisions)]:
            contents: dict[str, Any] = {"item": item.contents}
            if kind == "page_scroll":
                contents |= self._scroll()
            elif kind == "exposure":
                section = rng.choice(SECTIONS)
                contents |= {"section": section, "place": rng.randrange(12), "shown_ms": rng.randint(120, 4000)}
            self._track(kind, item.page, name, contents, pace=0.7 + appeal)

    def _decisions(self, appeal: float) -> list[str]:
        """What the customer decides in the end: to remember the item, to put it into the cart, to buy it."""
        chances = {
            "add_favourite": 0.03 + 0.25 * appeal,
            "add_to_cart": _logistic(-3 + 3 * appeal + 1.4 * self._intent),
            "purchase": _logistic(-5 + 3 * appeal + 1.6 * self._intent),
        }
        return [name for name, chance in chances.items() if self._rng.random() < chance]

    def _appeal(self, item: Item) -> float:
        pull = self._interests[item.category] + 0.8 * (item.rating - 4) + 0.9 * self._intent - 0.5
        return _logistic(pull + self._rng.gauss(0, 0.4))

    def _next_item(self, last: tuple[Item, float] | None) -> Item:
        """Choose an item that was not seen in this session: of the last one's category the more that one appealed."""
        stays = last is not None and self._rng.random() < 0.05 + 0.9 * last[1]
        category = last[0].category if last is not None and stays else self._liked()
        return item_of(
            self._rng.choice(
                [n for n in range(CATEGORIES.index(category), ITEMS, len(CATEGORIES)) if n not in self._seen]
            )
        )

    def _liked(self) -> str:
        weights = [math.exp(interest) for interest in self._interests.values()]
        return self._rng.choices(CATEGORIES, weights)[0]

    def _scroll(self) -> dict[str, Any]:
        begin = self._rng.randrange(0, 4000, 40)
        return {"from_px": begin, "to_px": begin + self._rng.randrange(200, 2400, 40), "page_px": 9600}

    def _count(self, mean: float) -> int:
        """A number with this mean, of Poisson's distribution."""
        limit, product, count = math.exp(-mean), self._rng.random(), 0
        while product > limit:
            product *= self._rng.random()
            count += 1
        return count

    def _track(
        self,
        kind: EventKind,
        page: str,
        name: str,
        contents: Mapping[str, Any],
        private: Mapping[str, Any] | None = None,
        *,
        pace: float = 1.0,
    ) -> None:
        self._at += 0.05 + self._rng.expovariate(1 / pace)
        status = self._phone.status(page, name, len(self.events))
        self.events.append(BehaviourEvent(kind, name, page, round(self._at, 3), {**contents, **status}, private or {}))


class _Phone:
    """The fields that a tracking library adds to each event, whatever happens: the device, the app, the widget."""

    def __init__(self, rng: random.Random) -> None:
        self._battery = rng.randint(15, 100)
        self._free_mb = rng.randint(400, 4000)
        self._session = f"{rng.getrandbits(128):032x}"
        self._network = rng.choice(("wifi", "5g", "4g"))

    def status(self, page: str, name: str, number: int) -> dict[str, Any]:
        where = page.partition("/")[0]
        return {
            "device": {
                "model": "Pixel 7 Pro",
                "manufacturer": "Google",
                "os": {"name": "android", "version": "14", "security_patch": "2024-03-05", "api_level": 34},
                "screen": {"width_px": 1440, "height_px": 3120, "density_dpi": 512, "orientation": "portrait"},
                "battery": {"percent": max(1, self._battery - number // 40), "charging": False, "saver": False},
                "memory": {"free_mb": self._free_mb - number % 7, "total_mb": 12288, "low": False},
                "locale": {"language": "en", "country": "GB", "time_zone": "Europe/London"},
            },
            "network": {
                "type": self._network,
                "carrier": "Example Mobile",
                "metered": self._network != "wifi",
                "vpn": False,
            },
            "app": {
                "package": "org.example.market",
                "version": "2.0.0",
                "build": 20417,
                "channel": "store",
                "experiments": ["feed-v3:b", "detail-gallery:a", "checkout-short:control"],
                "session": self._session,
                "sequence": number,
            },
            "widget": {
                "path": f"window/decor/content/navigation/{where}/refresh/recycler/cell[{number % 13}]/card/{name}",
                "class": f"org.example.market.{where}.widgets.TrackedCardView",
                "bounds_px": [0, number * 97 % 2400, 1440, number * 97 % 2400 + 320],
                "visible": True,
            },
        }


def _as_reported(rng: random.Random, events: list[BehaviourEvent]) -> list[BehaviourEvent]:
    """Lose some exits, break some sessions off, and report some exposures late."""
    if rng.random() < BROKEN_OFF:
        events = events[: rng.randint(1, len(events))]
    order = []
    for place, event in enumerate(events):
        if event.kind == "page_exit" and rng.random() < MISSING_EXITS:
            continue
        late = event.kind == "exposure" and rng.random() < LATE
        order.append((place + (rng.randint(1, 4) + 0.5 if late else 0), event))
    return [event for _, event in sorted(order, key=lambda placed: placed[0])]


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value))
