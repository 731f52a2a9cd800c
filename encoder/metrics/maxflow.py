"""The largest flow through a network (Dinic 1970)."""

import math
from collections.abc import Mapping

Room = dict[int, dict[int, float]]
TINY = 1e-12  # room that is rounding, not capacity


def max_flow(edges: Mapping[tuple[int, int], float], source: int, sink: int) -> float:
    """How much can flow from `source` to `sink`, in the unit of the capacities.

    Args:
        edges: capacity of each edge (from, to), 0 or more.
        source: the node that gives; it must differ from the sink.
        sink: the node that takes.
    """
    room: Room = {}
    for (a, b), capacity in edges.items():
        room.setdefault(a, {})[b] = room.get(a, {}).get(b, 0.0) + capacity
        room.setdefault(b, {}).setdefault(a, 0.0)
    total = 0.0
    while sink in (level := levels(room, source)):
        total += push(room, level, {node: list(to) for node, to in room.items()}, source, sink, math.inf)
    return total


def levels(room: Room, source: int) -> dict[int, int]:
    """How many edges with room lead to each node that can be reached."""
    level, frontier = {source: 0}, [source]
    for node in frontier:
        for to, left in room.get(node, {}).items():
            if left > TINY and to not in level:
                level[to] = level[node] + 1
                frontier.append(to)
    return level


def push(room: Room, level: dict[int, int], untried: dict[int, list[int]], node: int, sink: int, much: float) -> float:
    """Send as much as fits from a node to the sink along ever higher levels; returns what got through."""
    if node == sink:
        return much
    sent = 0.0
    while untried[node]:
        to = untried[node][-1]
        fits = min(much - sent, room[node][to])
        if fits > TINY and level.get(to) == level[node] + 1:
            got = push(room, level, untried, to, sink, fits)
            room[node][to] -= got
            room[to][node] += got
            sent += got
            if much - sent <= TINY:
                break
        untried[node].pop()
    return sent
