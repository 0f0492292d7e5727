"""What an installation lacks, found before users find it: `manage.py doctor`.

Each check looks and says one sentence, with what to do about it. `examination` puts them into an order; checks that
need the database are left out where it cannot be reached.
"""
