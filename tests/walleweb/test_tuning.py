"""How the interpreter is set up in every process that loads Django."""

import gc

import walleweb


def test_garbage_is_looked_for_less_often_than_by_default():
    assert walleweb.celery_app
    assert gc.get_threshold()[0] == 20_000
