"""The communication of a device with the cloud: enrolment, check-ins, reports, and their pace."""
