"""Ask for a reason on an admin page, before something is done to its row."""

from typing import Any, Final

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from unfold.dataclasses import ActionDialog
from unfold.forms import BaseDialogForm
from unfold.widgets import UnfoldAdminTextInputWidget

MOST: Final = 2000


class ReasonForm(BaseDialogForm):
    """The dialog before an action, which takes a reason."""

    reason = forms.CharField(max_length=MOST, required=False, widget=UnfoldAdminTextInputWidget)


class RequiredReasonForm(BaseDialogForm):
    """The dialog before an action that is not taken without a reason."""

    reason = forms.CharField(max_length=MOST, widget=UnfoldAdminTextInputWidget)


def reason_dialog(label: str, title: str, consequence: str, form: type[Any] = ReasonForm) -> ActionDialog:
    """Return the dialog of an action, whose button says `label`."""
    return ActionDialog(title=title, description=consequence, form_class=form, form_submit_text=label)


def go_to(request: HttpRequest, address: str) -> HttpResponse:
    """Return what leads the browser to a page after a dialog."""
    # htmx sends the dialog; it would follow a redirect by itself and put the page into the dialog.
    if request.headers.get("HX-Request"):
        return HttpResponse(headers={"HX-Redirect": address})
    return HttpResponseRedirect(address)
