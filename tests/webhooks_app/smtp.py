"""A real SMTP server that takes messages, or does to them what it is told: enough of RFC 5321 for one client."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage


@dataclass
class Postbox:
    """`answers` are given to messages one after the other, the last one for ever: a line, "drop" or "hold".

    One that drops or holds has the whole message, but does not say so.
    """

    port: int = 0
    answers: list[str] = field(default_factory=lambda: ["250 taken"])
    recipient: str = "250 known"
    received: list[EmailMessage] = field(default_factory=list)
    release: threading.Event = field(default_factory=threading.Event)

    def next_answer(self) -> str:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


class _Conversation(socketserver.StreamRequestHandler):
    postbox: Postbox

    def say(self, line):
        self.wfile.write(f"{line}\r\n".encode())

    def handle(self):
        self.say("220 here")
        while line := self.rfile.readline():
            verb = line[:4].upper()
            if verb == b"DATA":
                self.say("354 go on")
                lines = iter(self.rfile.readline, b".\r\n")
                content = b"".join(each.removeprefix(b".") for each in lines)
                self.postbox.received.append(message_from_bytes(content, policy=policy.default))
                answer = self.postbox.next_answer()
                if answer == "hold":
                    self.postbox.release.wait(30)
                if answer in ("hold", "drop"):
                    return
                self.say(answer)
            elif verb == b"RCPT":
                self.say(self.postbox.recipient)
            elif verb == b"QUIT":
                self.say("221 bye")
                return
            else:
                self.say("250 well")


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True


@contextmanager
def receiving_mail(*answers: str, port: int = 0) -> Iterator[Postbox]:
    postbox = Postbox(**({"answers": list(answers)} if answers else {}))
    handler = type("Conversation", (_Conversation,), {"postbox": postbox})
    with _Server(("127.0.0.1", port), handler) as server:
        postbox.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield postbox
        finally:
            postbox.release.set()
            server.shutdown()
            thread.join()
