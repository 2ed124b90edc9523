/** How long things may take. The body's size stands in `body.ts`, statements' time in `db/orm.ts`. */
import type { Server } from 'node:http';
import { within } from '../../../adapters/in-time.ts';
import { Refusal } from '../../../domain/refusals.ts';

/** Longer than the longest wait inside (a process's first answer, a statement), shorter than a load balancer's patience. */
const OPERATION_MILLISECONDS = 25_000;
const REQUEST_MILLISECONDS = 30_000;
const HEADERS_MILLISECONDS = 10_000;
/** Longer than the idle time of usual load balancers: who closes first loses a request in flight. */
const KEEP_ALIVE_MILLISECONDS = 65_000;

/** What goes on after its deadline ends by itself; a repeat with the same key finds its answer. Refuses unavailable. */
export function withDeadline<T>(act: () => Promise<T>): Promise<T> {
  return within(OPERATION_MILLISECONDS, act(), () => {
    throw new Refusal('unavailable', { retryAfter: 5 });
  });
}

/** A client that is slow on purpose holds a connection no longer than this. */
export function limitConnections(server: Server): void {
  server.requestTimeout = REQUEST_MILLISECONDS;
  server.headersTimeout = HEADERS_MILLISECONDS;
  server.keepAliveTimeout = KEEP_ALIVE_MILLISECONDS;
  server.maxHeadersCount = 100;
}
