"""What faults outside of REST's views are answered with."""

import pytest
from django.http import Http404
from django.test import RequestFactory

from walleweb import errors


@pytest.mark.parametrize(("path", "kind"), [("/api/v1/x", "application/problem+json"), ("/x", "text/html")])
def test_programs_get_documents_and_people_pages(path, kind):
    request = RequestFactory().get(path)
    for answer in (errors.not_found(request, Http404()), errors.server_error(request)):
        assert answer["Content-Type"].startswith(kind)
