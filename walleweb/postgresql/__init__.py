"""Django's PostgreSQL backend, which tells a server that is away from a pool whose connections are all in use."""
