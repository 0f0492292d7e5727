"""The contributions of the kit."""

from http import HTTPStatus

from kit.contributing import Contributions

CONTRIBUTIONS = Contributions(statuses={"kit.attempts.TooManyAttempts": HTTPStatus.BAD_REQUEST})
