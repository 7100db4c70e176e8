"""What Prometheus may ask."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

REGISTRY = CollectorRegistry()
MOVES = Counter("teerling_actions_total", "Things done at tables", registry=REGISTRY)
RENDERED = Counter("teerling_pages_rendered_total", "Pages made for open tables", registry=REGISTRY)
SOCKETS = Gauge("teerling_sockets", "Pages that are open at tables", registry=REGISTRY)
REQUESTS = Counter("teerling_requests_total", "Requests by status", ["status"], registry=REGISTRY)
SECONDS = Histogram("teerling_request_seconds", "How long requests took", registry=REGISTRY)
LIMITED = Counter(
    "teerling_limited_total",
    "What was refused because somebody had enough of it",
    ["limit"],
    registry=REGISTRY,
)
CLOSED = Counter(
    "teerling_connections_closed_total", "Connections that were closed, and why", ["why"], registry=REGISTRY
)
CONNECTIONS = Gauge("teerling_connections", "Connections that are open", registry=REGISTRY)
HANDLES = Gauge("teerling_handles_limit", "How many files and connections may be open", registry=REGISTRY)
THOUGHT = Counter(
    "teerling_thought_total", "Moves, hints and parts of reviews that were worked out, and where", ["where"],
    registry=REGISTRY,
)  # fmt: skip
