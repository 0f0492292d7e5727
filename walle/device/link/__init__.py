"""How a device talks to the cloud: enrolment, check-ins, reports, and the pace of all of them."""
