"""The app of app.py, for asyncio: the client and its transport are the asynchronous ones, the rest is the same."""

import asyncio

import httpx

from examples.service.phone import inputs, parse, tell, tell_answer
from walle.device.embedding import embedded


async def main() -> None:
    options = parse()
    with embedded(
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
    ) as walle:
        async with httpx.AsyncClient(transport=walle.async_transport(origins=[options.service])) as client:
            while True:
                cart = (await client.get(f"{options.service}/cart/ada")).raise_for_status().json()
                print("cart", cart["items"], flush=True)
                await asyncio.sleep(options.pause)


if __name__ == "__main__":
    asyncio.run(main())
