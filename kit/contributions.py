"""What the kit itself adds to the whole."""

from http import HTTPStatus

from kit.contributing import Contributions

CONTRIBUTIONS = Contributions(statuses={"kit.attempts.TooManyAttempts": HTTPStatus.BAD_REQUEST})
