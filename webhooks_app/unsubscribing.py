"""The page to which each message's last link leads: it turns all of them off, without a login (RFC 8058)."""

from html import escape
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from webhooks_app.services.mail_settings import reader_of, unsubscribe

POLICY: Final = "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
_PAGE: Final = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme"
content="light dark"><meta name="referrer" content="no-referrer"><title>E-mail of Walle</title></head>
<body><h1>E-mail of Walle</h1>{}</body>
</html>
"""
_ASK: Final = "<p>Turn off all messages to {}?</p><form method='post'><button>Turn them off</button></form>"
_DONE: Final = (
    "<p>No more events reach {} by e-mail. They can be turned on again on the <a href='/account'>account page</a>.</p>"
)
_UNKNOWN: Final = (
    "<p>This link is not complete. Messages can be turned off on the <a href='/account'>account page</a>.</p>"
)


# Mail programs post without a cookie or a token of ours: the address itself is what entitles them.
@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe_page(request: HttpRequest) -> HttpResponse:
    """Ask a person who follows the link, and turn off at a POST; links that are only looked at change nothing."""
    # In the query, which log lines leave out.
    token = request.GET.get("token", "")
    if request.method == "POST":
        name, text = unsubscribe(token=token), _DONE
    else:
        user = reader_of(token)
        name, text = user.get_username() if user else None, _ASK
    answer = HttpResponse(_PAGE.format(_UNKNOWN if name is None else text.format(escape(name))))
    answer.status_code = 404 if name is None else 200
    answer["Content-Security-Policy"] = POLICY
    return answer
