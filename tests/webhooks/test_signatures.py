"""Signatures, held against the specification's own library and against the code that the guide offers."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks import Webhook, WebhookVerificationError

from walle.webhooks.signatures import KEY_SIZE, secret_text, signed_headers


def now():
    """The reference implementation looks at the clock itself, and takes nothing older than five minutes."""
    return datetime.now(UTC)


keys = st.binary(min_size=KEY_SIZE, max_size=KEY_SIZE)
bodies = st.text(alphabet=st.characters(exclude_categories=["Cs"])).map(lambda text: f'{{"x":"{text}"}}'.encode())
messages = st.from_regex(r"evt_[0-9]{1,18}_[0-9a-f]{13}", fullmatch=True)


def accepts(secret, headers, body):
    """Whether the reference implementation takes it; what it thinks of the JSON is not the question here."""
    try:
        Webhook(secret).verify(body, headers)
    except WebhookVerificationError:
        return False
    except ValueError:
        return True
    return True


def test_a_published_example():
    secret = "whsec_plJ3nmyCDGBKInavdOK15jsl"
    at = datetime.fromtimestamp(1731705121, UTC)
    headers = signed_headers(
        secrets=[secret], message="msg_loFOjxBNrRLzqYUf", at=at, body=b'{"event_type":"ping","data":{"success":true}}'
    )
    assert headers == {
        "webhook-id": "msg_loFOjxBNrRLzqYUf",
        "webhook-timestamp": "1731705121",
        "webhook-signature": "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=",
    }


@given(keys, messages, bodies)
def test_the_reference_implementation_takes_what_is_signed(key, message, body):
    headers = signed_headers(secrets=[secret_text(key)], message=message, at=now(), body=body)
    assert accepts(secret_text(key), headers, body)


@given(keys, keys, messages, bodies)
def test_either_of_two_secrets_is_enough(old, new, message, body):
    headers = signed_headers(secrets=[secret_text(new), secret_text(old)], message=message, at=now(), body=body)
    assert accepts(secret_text(old), headers, body)
    assert accepts(secret_text(new), headers, body)


@given(keys, messages, bodies, st.sampled_from(["body", "webhook-id", "webhook-timestamp", "key"]))
def test_whatever_is_changed_is_noticed(key, message, body, changed):
    secret = secret_text(key)
    headers = signed_headers(secrets=[secret], message=message, at=now(), body=body)
    if changed == "body":
        body += b" "
    elif changed == "key":
        secret = secret_text(bytes([key[0] ^ 1]) + key[1:])
    else:
        headers[changed] += "1" if changed == "webhook-id" else ""
        if changed == "webhook-timestamp":
            headers[changed] = str(int(headers[changed]) + 1)
    assert not accepts(secret, headers, body)


def test_what_is_old_is_not_taken():
    secret = secret_text(bytes(KEY_SIZE))
    headers = signed_headers(secrets=[secret], message="evt_1_0", at=now() - timedelta(minutes=6), body=b"{}")
    with pytest.raises(WebhookVerificationError, match="too old"):
        Webhook(secret).verify(b"{}", headers)
