"""What accounts add to the whole."""

from http import HTTPStatus

from kit.contributing import Contributions

CONTRIBUTIONS = Contributions(
    api=("accounts_app.urls",),
    statuses={
        "accounts_app.exceptions.AccountsError": HTTPStatus.BAD_REQUEST,
        "accounts_app.exceptions.InvalidToken": HTTPStatus.UNAUTHORIZED,
    },
)
