"""The pages as an app: what a browser needs to install it, and what it shows without a line."""

from pathlib import Path

import pytest

from teerling.server.web import assets
from tests.server.houses import opened


def test_every_page_names_a_manifest_whose_icons_are_there(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        assert 'rel="manifest" href="/static/manifest.webmanifest"' in client.get("/").text
        manifest = client.get("/static/manifest.webmanifest").json()
        assert (manifest["start_url"], manifest["display"]) == ("/", "standalone")
        assert {icon["sizes"] for icon in manifest["icons"]} >= {"192x192", "512x512"}
        for icon in manifest["icons"]:
            answer = client.get(icon["src"])
            assert answer.status_code == 200
            if icon["type"] == "image/png":
                width = int.from_bytes(answer.content[16:20], "big")
                assert f"{width}x{width}" == icon["sizes"]


@pytest.mark.parametrize("path", ["/styles.css", "/games/ra/table.css"])
def test_a_style_sheet_is_squeezed_once_and_is_the_same_for_everybody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    with opened(tmp_path) as client:
        squeezed = client.get(path, headers={"Accept-Encoding": "gzip"})
        monkeypatch.setattr(assets, "gzip", None)
        again = client.get(path, headers={"Accept-Encoding": "gzip"})
        plain = client.get(path, headers={"Accept-Encoding": "identity"})
    assert squeezed.headers["content-encoding"] == again.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert squeezed.text == again.text == plain.text
    assert plain.headers["vary"] == squeezed.headers["vary"] == "Accept-Encoding"


@pytest.mark.parametrize("path", ["/icons/icon-9999.png", "/icons/style-192.png", "/icons/..-192.png"])
def test_other_icons_are_not_painted(tmp_path: Path, path: str) -> None:
    with opened(tmp_path) as client:
        assert client.get(path).status_code == 404


def test_the_worker_is_in_charge_of_all_pages_and_the_policy_stays_strict(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        worker = client.get("/worker.js")
        assert worker.headers["content-type"].startswith("text/javascript")
        assert "unsafe" not in worker.headers["content-security-policy"].replace(
            "style-src-attr 'unsafe-inline'", ""
        )


def test_the_page_without_a_line_speaks_the_visitors_language(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        assert "You are offline" in client.get("/offline").text
        assert "Je bent offline" in client.get("/offline", headers={"Accept-Language": "nl"}).text
