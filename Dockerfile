# Three stages: npm, the sources and what builds them stay in the first one. The bases are arguments, so that a mirror or
# a base of one's own can take their place: BUILD_IMAGE has a shell, npm, and Node 24 as it is released in /usr/local;
# RUNTIME_IMAGE has what that Node is linked with (glibc, libstdc++) and no shell.
ARG BUILD_IMAGE=docker.io/library/node:24-trixie-slim
ARG RUNTIME_IMAGE=gcr.io/distroless/cc-debian13:nonroot

# The bundle is the same for every architecture: it is built on the machine's own.
FROM --platform=$BUILDPLATFORM ${BUILD_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json ./
# Where packages come from a mirror: --secret id=npmrc,src=<its .npmrc>. It stays out of every layer.
RUN --mount=type=secret,id=npmrc NPM_CONFIG_USERCONFIG=/run/secrets/npmrc npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json rolldown.config.ts ./
COPY src ./src
RUN npm run build:operator

# Node of the image's architecture. Nothing runs here, so that no build needs an emulator.
FROM ${BUILD_IMAGE} AS node

FROM ${RUNTIME_IMAGE}
ARG RUNTIME_IMAGE
ARG SOURCE=https://github.com/platform-operator/platform-operator
ARG VERSION=0.0.0
ARG REVISION=unknown
ARG CREATED=1970-01-01T00:00:00Z
LABEL org.opencontainers.image.title="platform-operator" \
      org.opencontainers.image.description="Kubernetes operator for a cloud deployment platform's API" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.source="${SOURCE}" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}" \
      org.opencontainers.image.base.name="${RUNTIME_IMAGE}"
COPY --chown=0:0 --chmod=0444 LICENSE /licenses/LICENSE
COPY --from=build --chown=0:0 --chmod=0444 /src/dist/third-party-licences.txt /licenses/third-party.txt
COPY --from=node --chown=0:0 --chmod=0444 /usr/local/LICENSE /licenses/node.txt
COPY --from=node --chown=0:0 --chmod=0555 /usr/local/bin/node /usr/local/bin/node
COPY --from=build --chown=0:0 --chmod=0444 /src/dist/operator.js /app/operator.js
# As in scripts/image.ts.
ENV NODE_ENV=production MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=131072
WORKDIR /app
USER 65532:65532
# The command line of scripts/image.ts, which the chart's Deployment has too; a test holds them equal.
ENTRYPOINT [ \
  "/usr/local/bin/node", \
  "--disable-proto=throw", \
  "--disallow-code-generation-from-strings", \
  "--disable-sigusr1", \
  "--report-exclude-env", \
  "--permission", \
  "--max-semi-space-size=4", \
  "--heap-growing-percent=30", \
  "--no-parallel-scavenge", \
  "--liftoff-only", \
  "--max-old-space-size-percentage=60", \
  "--allow-fs-read=/app/operator.js", \
  "--allow-fs-read=/var/run/secrets/kubernetes.io/serviceaccount", \
  "/app/operator.js" \
]
CMD ["run"]
