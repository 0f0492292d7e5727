"""The contributions of accounts_app to other apps."""

from http import HTTPStatus

from kit.contributing import Contributions

CONTRIBUTIONS = Contributions(
    api=("accounts_app.urls",),
    metrics=("accounts_app.metrics.METRICS",),
    dashboard=("account",),
    statuses={
        "accounts_app.exceptions.AccountsError": HTTPStatus.BAD_REQUEST,
        "accounts_app.exceptions.LastOwner": HTTPStatus.CONFLICT,
        "accounts_app.exceptions.InvalidToken": HTTPStatus.UNAUTHORIZED,
    },
)
