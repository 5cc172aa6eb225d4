# The bot on a machine of your own: compose.yaml builds and runs it (docs/self-host.md). It listens on its own 127.0.0.1 only, so a tunnel has to share
# its network, as there.
FROM python:3.13-slim AS build
COPY requirements/serve.txt /
RUN python -m venv /venv && /venv/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes --requirement /serve.txt

FROM python:3.13-slim
RUN useradd --system --uid 10001 --home-dir /var/lib/aizuchi aizuchi && install --directory --mode 700 --owner aizuchi /var/lib/aizuchi
COPY --from=build /venv /venv
WORKDIR /app
COPY functions functions
COPY operations operations
COPY schemas schemas
COPY selfhost selfhost
COPY shared shared
RUN python -m compileall -q .
ENV PATH=/venv/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 DATA=/var/lib/aizuchi/data
VOLUME /var/lib/aizuchi
USER aizuchi
# The webhook answers 404 to whatever is no delivery of LINE.
HEALTHCHECK --interval=60s --timeout=5s --start-period=30s CMD ["python", "-c", "import os, http.client as h; c = h.HTTPConnection('127.0.0.1', int(os.environ.get('PORT') or 8080), timeout=3); c.request('GET', '/'); exit(c.getresponse().status != 404)"]
ENTRYPOINT ["python", "-m", "selfhost"]
