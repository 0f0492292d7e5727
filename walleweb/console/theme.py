"""The colours of the console: those of the dashboard (frontend/src/app/tokens.css), as scales of light to dark."""

from typing import Any, Final

COLORS: Final[dict[str, Any]] = {
    # Between --surface and --bg of both schemes, by --line, --control-border and --muted.
    "base": {
        "50": "#f7f8fa",
        "100": "#eef1f5",
        "200": "#dfe2e6",
        "300": "#c3c9d1",
        "400": "#a3adba",
        "500": "#6b7583",
        "600": "#57606a",
        "700": "#3a434f",
        "800": "#2a313b",
        "900": "#171c23",
        "950": "#0f1318",
    },
    # Around --running: #2355c4 on white, #5b9bf5 on black.
    "primary": {
        "50": "#eff5fe",
        "100": "#dbe8fd",
        "200": "#bcd5fb",
        "300": "#8fbaf8",
        "400": "#5b9bf5",
        "500": "#5b9bf5",
        "600": "#2355c4",
        "700": "#1e49a8",
        "800": "#1b3e8a",
        "900": "#18346f",
        "950": "#0f2147",
    },
    "font": {
        "subtle-light": "#57606a",
        "subtle-dark": "#a3adba",
        "default-light": "#1b2028",
        "default-dark": "#e6e9ee",
        "important-light": "#1b2028",
        "important-dark": "#e6e9ee",
    },
}
