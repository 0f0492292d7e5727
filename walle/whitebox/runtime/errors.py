"""What the runtime answers instead of a prediction. The serving process gives each its status."""

from __future__ import annotations


class PlanUnknown(LookupError):
    """No plan is registered under this id."""


class PlanIsolated(Exception):
    """The plan failed and is kept from running for `retry_after` seconds; `reason` says how it failed."""

    def __init__(self, plan: str, reason: str, retry_after: float) -> None:
        super().__init__(f"plan {plan} is isolated for another {retry_after:.0f} s: {reason}")
        self.plan, self.reason, self.retry_after = plan, reason, retry_after


class PlanFailed(Exception):
    """The plan failed at this request; `reason` says how. It is isolated if that happens again, or at once."""

    def __init__(self, plan: str, reason: str) -> None:
        super().__init__(f"plan {plan} failed: {reason}")
        self.plan, self.reason = plan, reason


class Overloaded(Exception):
    """The request was not accepted, or shed, because it could not be answered in time; try again in `retry_after` s."""

    def __init__(self, reason: str, retry_after: float) -> None:
        super().__init__(f"{reason}; try again in {retry_after:.2f} s")
        self.reason, self.retry_after = reason, retry_after


class BatchTooLarge(Exception):
    """A batch has more records than are taken at once."""

    def __init__(self, records: int, most: int) -> None:
        super().__init__(f"{records} records in one batch; {most} at most are expected")
        self.records, self.most = records, most


class ReservationRefused(Exception):
    """The machine does not have what a plan asks to reserve; nothing was reserved."""


class ParameterUnavailable(Exception):
    """A parameter cannot be used: `reason` says that it is missing, of another size, corrupt, or has no room."""

    def __init__(self, digest: str, reason: str) -> None:
        super().__init__(f"parameter {digest[:16]} {reason}")
        self.digest, self.reason = digest, reason
