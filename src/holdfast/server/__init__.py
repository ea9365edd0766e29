"""The HTTP service: one process that speaks HTTP, and workers that link.

    request ─► guard ─► routes ─► pool ─► worker: Engine ─► Document as JSON ─► format ─► answer
               │        └ Catalog: search, entities, types, in the process itself
               └ hosts, tokens, limits, headers, access log, metrics

`serve.py` starts it, `app.py` puts it together, `settings.py` has everything that can be set.
"""
