/** A port of its own for probes and collectors, so that the public one need not tell anybody. */
import { createServer, type Server } from 'node:http';
import type { Registry } from 'prom-client';
import { ConfigError } from '../../config.ts';

export interface Page {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Answers GET of these paths, without a login: for the inside only. */
export function pagesServer(pages: Readonly<Record<string, () => Promise<Page>>>): Server {
  return createServer((request, response) => {
    const page = request.method === 'GET' ? pages[request.url?.split('?')[0] ?? ''] : undefined;
    const answer = async (): Promise<void> => {
      if (page === undefined) return void response.writeHead(404).end();
      const { status, type, body } = await page();
      response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(body);
    };
    answer().catch(() => response.writeHead(503).end());
  });
}

/** All metrics as text. */
export function metricsPage(registry: Registry): () => Promise<Page> {
  return async () => ({ status: 200, type: registry.contentType, body: await registry.metrics() });
}

export function jsonPage(status: number, body: object): Page {
  return { status, type: 'application/json', body: JSON.stringify(body) };
}

/** Listens, or throws a ConfigError that names the variable. */
export function listen(server: Server, host: string, port: number, variable: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE' || error.code === 'EACCES';
      reject(
        taken
          ? new ConfigError(
              `${variable}: ${host}:${String(port)} cannot be used (${error.code}); set another one`,
            )
          : error,
      );
    });
    server.listen(port, host, resolve);
  });
}
