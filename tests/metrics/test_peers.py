"""Metrics agree with second implementations, and the table of the site says so."""

import json

import peers
import pytest

ROWS = json.loads(peers.FILE.read_text(encoding="utf-8"))["rows"]


@pytest.mark.parametrize("peer", peers.PEERS, ids=lambda peer: f"{peer.metric}-{peer.name}")
def test_second_implementation_agrees(peer):
    assert peers.difference(peer) <= peer.allowed


def test_table_is_up_to_date():
    listed = [(row["metric"], row["peer"].partition(" ")[0]) for row in ROWS]
    assert listed == [(peer.metric, peer.name) for peer in peers.PEERS]
    assert all(r["difference"] <= p.allowed for r, p in zip(ROWS, peers.PEERS, strict=True))
