"""Results that were restored are told from those that were computed here."""

from nldr.engine.files.store import write_manifest
from nldr.engine.stages.restored import copy_of, is_restored, lacks_points


def test_only_restored_results_without_points_lack_them(tmp_path):
    manifest = tmp_path / "trials-1.json"
    row = {"trial": 0, "status": "ok", "message": ""}
    write_manifest(manifest, key="k", trials=[row | {"file": "trial-0.npz"}])
    assert not is_restored(manifest)
    assert not lacks_points(manifest)
    for file in (manifest, copy_of(manifest)):
        write_manifest(file, key="k", trials=[row | {"file": "trial-0.npz"}], restored={})
    assert is_restored(manifest)
    assert lacks_points(manifest)
    (tmp_path / "trial-0.npz").touch()
    assert not lacks_points(manifest)
    # A fit that failed has no points to lack.
    write_manifest(manifest, key="k", trials=[row | {"status": "error"}], restored={})
    assert not lacks_points(manifest)
