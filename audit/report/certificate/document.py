"""The certificate's own form: JSON text."""

from __future__ import annotations

import json

from audit.statements.certificate import Certificate


def certificate_text(certificate: Certificate) -> str:
    """The certificate as indented JSON with its digest; ends with a newline.

    Anything but ASCII is escaped, so that the text survives every encoding.
    """
    return json.dumps(certificate.to_json(), indent=2, ensure_ascii=True) + "\n"
