"""What a model says to a claim, once somebody has judged it: shipped with its weights, or measured now."""

from encoder.pictures.labs import CLAIMS
from encoder.support.errors import EncoderError
from encoder.support.formatting import brief
from encoder.teach.lessons.stored import by_content, not_tried
from pages.front import make
from pages.front.request_fields import ClaimRequest, RefusedError
from pages.ui.server import measurements


def verdict(request: ClaimRequest) -> dict[str, str]:
    """Whether a claim holds in a model, under which condition, and what was measured.

    Raises:
        RefusedError: there is no such claim or model, or no room to measure it now.
    """
    claim = next((claim for claim in CLAIMS if claim.key == request.claim), None)
    if claim is None:
        raise RefusedError(404, "There is no such claim here. Load the page again.")
    with make.refusing(""):
        shipped = by_content(make.opened(request.model).source.fingerprint)
        finding = shipped.finding(claim.trial, claim.given) if shipped else None
        if finding is None:
            try:
                given = measurements.spelled(claim.given)
                finding = measurements.findings(request.model, claim.trial, given, agreed=True)
            except (EncoderError, KeyError) as error:
                finding = not_tried(error)
    number = f"{brief(finding.value)}: {finding.what}" if finding.what else ""
    condition = finding.judgement.condition if finding.judgement else ""
    return {"is": finding.verdict.value, "condition": condition, "measured": finding.measured, "number": number}
