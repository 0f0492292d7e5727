"""A shop's app: check-ins ride on its requests, and the tasks that arrive run on its data.

    python -m examples.service.app --service http://localhost:9000 --walle http://localhost:8000 \
        --root root.json --folder ./phone            (the app key is in WALLE_APP_KEY)
"""

import time

import httpx

from examples.service.phone import inputs, parse, tell, tell_answer
from walle.device.embedding import embedded


def main() -> None:
    options = parse()
    with (
        embedded(
            server=options.walle,
            app="shop",
            app_version="1.0.0",
            app_key=options.app_key,
            os="android",
            os_version="14",
            folder=options.folder,
            initial_root=options.root.read_bytes(),
            interval=options.interval,
            inputs=inputs,
            on_notice=tell,
            on_answer=tell_answer,
        ) as walle,
        httpx.Client(transport=walle.transport(origins=[options.service])) as client,
    ):
        while True:
            cart = client.get(f"{options.service}/cart/ada").raise_for_status().json()
            print("cart", cart["items"], flush=True)
            time.sleep(options.pause)


if __name__ == "__main__":
    main()
