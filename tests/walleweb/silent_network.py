"""A machine with Walle, and one with its database, in network namespaces of their own; then the cable between is cut.

Run in a new network namespace. The second one has a forwarder to the database's unix socket. Prints, as JSON, who of
those who wait, who ask and who connect have got an error within a minute of silence; the kernel by itself takes longer.
"""

import json
import subprocess
import sys
import threading
from collections.abc import Callable

OUR_ADDRESS, THEIR_ADDRESS, PORT = "10.99.0.1", "10.99.0.2", 5432
LONG_S = 60.0
FORWARDER = """
import asyncio, sys

async def pump(reader, writer):
    while data := await reader.read(65536):
        writer.write(data)
    writer.close()

async def serve(reader, writer):
    there = await asyncio.open_unix_connection(sys.argv[1])
    await asyncio.gather(pump(reader, there[1]), pump(there[0], writer))

async def main():
    server = await asyncio.start_server(serve, "0.0.0.0", int(sys.argv[2]))
    print("listens", flush=True)
    await server.serve_forever()

asyncio.run(main())
"""


def main(socket: str) -> None:
    forwarder = subprocess.Popen(
        ("unshare", "-n", sys.executable, "-c", FORWARDER, socket, str(PORT)), stdout=subprocess.PIPE
    )
    try:
        assert forwarder.stdout is not None
        assert forwarder.stdout.readline() == b"listens\n"
        lay_cable(forwarder.pid)
        print(json.dumps(in_vain(lambda: there(forwarder.pid, "ip link set there down"))))
    finally:
        forwarder.kill()


def lay_cable(pid: int) -> None:
    here(f"ip link add here type veth peer name there netns {pid}")
    for run, end, address in ((here, "here", OUR_ADDRESS), (lambda line: there(pid, line), "there", THEIR_ADDRESS)):
        run(f"ip address add {address}/24 dev {end}")
        run(f"ip link set {end} up")


def here(line: str) -> None:
    subprocess.run(line.split(), check=True)


def there(pid: int, line: str) -> None:
    here(f"nsenter -t {pid} -n {line}")


def in_vain(cut: Callable[[], None]) -> list[str]:
    import django

    django.setup()
    from django.db import connection

    ready, silent = threading.Barrier(3), threading.Event()
    found: list[str] = []

    def waits() -> None:
        connection.connection.execute("LISTEN nothing")
        ready.wait()
        next(connection.connection.notifies(timeout=LONG_S))

    def asks() -> None:
        ready.wait()
        silent.wait()
        connection.connection.execute("SELECT 1")

    def connects() -> None:
        silent.wait()
        connection.ensure_connection()

    def until_error(work: Callable[[], None]) -> None:
        if work is not connects:
            connection.ensure_connection()
        try:
            work()
        except Exception as error:
            print(f"{work.__name__}: {error}", file=sys.stderr)
            found.append(work.__name__)

    threads = [threading.Thread(target=until_error, args=[work], daemon=True) for work in (waits, asks, connects)]
    for thread in threads:
        thread.start()
    ready.wait()
    cut()
    silent.set()
    for thread in threads:
        thread.join(LONG_S)
    return found


if __name__ == "__main__":
    main(sys.argv[1])
