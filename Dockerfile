# The service, with a knowledge base baked in. docs/service.md says how it is run.
FROM python:3.12-slim AS build

WORKDIR /build
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN python -m venv /opt/holdfast \
    && /opt/holdfast/bin/pip install --no-cache-dir '.[serve]'

# The name of an open vocabulary, or nothing if a home folder is mounted.
ARG KB=open
ENV HOLDFAST_HOME=/data
RUN mkdir /data \
    && if [ -n "$KB" ]; then /opt/holdfast/bin/holdfast kb get "$KB"; fi \
    && rm -rf /data/downloads

FROM python:3.12-slim

RUN useradd --system --uid 10001 --create-home holdfast
COPY --from=build /opt/holdfast /opt/holdfast
COPY --from=build --chown=10001:10001 /data /home/holdfast/data
ENV PATH=/opt/holdfast/bin:$PATH \
    HOLDFAST_HOME=/home/holdfast/data \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
USER 10001:10001
WORKDIR /home/holdfast
EXPOSE 8000

# /livez is the one route that needs no token. Override this if the service speaks TLS.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/livez', timeout=4)"]

ENTRYPOINT ["holdfast"]
CMD ["serve", "--host", "0.0.0.0", "--trusted-host", "localhost"]
