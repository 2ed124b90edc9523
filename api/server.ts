/** The Koa application: the order of its middleware, and nothing else. */
import type { MikroORM } from '@mikro-orm/postgresql';
import Koa from 'koa';
import { unsubscribeDoor } from './pipeline/http/doors/unsubscribe-door.ts';
import { signInPage } from './operators/sign-in-page.ts';
import { Registry } from 'prom-client';
import { documentation, localMetrics } from './derived/pages.ts';
import { createRouter, unknownRoute } from './derived/router.ts';
import type { Operation } from './declaration/operation.ts';
import { accessLog } from './pipeline/http/access-log.ts';
import { clientAddress } from './pipeline/http/client-address.ts';
import { createFrame } from './pipeline/create-frame.ts';
import type { GivenServices } from './pipeline/frame.ts';
import { crossOrigin, noStore, securityHeaders } from './pipeline/http/headers.ts';
import { createMetrics, type Metrics } from './pipeline/http/metrics.ts';
import { guardNamed } from './pipeline/four-eyes/named-changes.ts';
import { problems } from './pipeline/http/problem.ts';
import { readingCookie } from './pipeline/http/reading-cookie.ts';
import { requestId } from './pipeline/http/request-id.ts';
import type { FrameState } from './pipeline/http/state.ts';
import { traceCalls } from './pipeline/http/trace.ts';
import { sandboxDoor } from './pipeline/http/doors/sandbox-door.ts';
import { uploadDoor } from './pipeline/http/doors/upload-door.ts';

/** Serves these operations. What each of them passes on its way stands in `pipeline/perform.ts`. */
export function createServer(
  services: GivenServices,
  orm: MikroORM,
  declared: readonly Operation[],
  metrics: Metrics = createMetrics(new Registry()),
): Koa<FrameState> {
  const { config, log } = services;
  const operations = guardNamed(declared, config.FOUR_EYES_OPERATIONS);
  // each proxy of ours has added the address it saw to X-Forwarded-For: with so many of them, the client's is the first of the last
  const hops = config.TRUST_PROXY;
  const app = new Koa<FrameState>({ proxy: hops > 0, maxIpsCount: hops });
  app.silent = true;
  app.use(requestId);
  app.use(clientAddress);
  if (config.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined) app.use(traceCalls);
  app.use(accessLog(log));
  app.use(metrics.step);
  app.use(securityHeaders());
  app.use(noStore);
  app.use(crossOrigin(config));
  app.use(problems({ log, publicUrl: config.publicUrl }));
  app.use(uploadDoor(services, orm));
  app.use(unsubscribeDoor(services, orm));
  app.use(readingCookie(services));
  if (config.NODE_ENV === 'development') app.use(sandboxDoor(config));
  app.use(createRouter(operations, createFrame(services, orm, operations)));
  app.use(documentation(operations, config.publicUrl));
  app.use(signInPage(config));
  app.use(localMetrics(metrics.registry));
  app.use(unknownRoute(operations));
  return app;
}
