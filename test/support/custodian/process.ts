/** The sandbox custodian as a process of a test, with the official SDK as its client and a door that takes its webhooks. */
import { Fireblocks } from '@fireblocks/ts-sdk';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import type { Child } from '../../../tools/devstack/process/child.ts';
import { controlAt, type CustodianControl } from './control.ts';
import { freePort, SOON_MS, startService, until } from '../stack/processes.ts';
import { stack } from '../stack/stack.ts';

const API_KEY = '7e11e500-0000-4000-8000-000000000001';

export const Sent = z.object({
  tx_id: z.string(),
  tx_hash: z.string(),
  tx_ids: z.array(z.string()),
  webhooks: z.object({ delivered: z.number(), failed: z.number(), waiting: z.number() }),
});

/** Something that came in at the door. */
export interface Arrived {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** The bank's door of a test: it keeps what comes, and answers with the status that it has been told. */
export async function openDoor() {
  const arrived: Arrived[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      arrived.push({ headers: request.headers, body: Buffer.concat(chunks) });
      response.writeHead(status).end(`answered ${String(status)}`);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}/v1/crypto/webhooks/custodian`,
    arrived,
    answer(next: number) {
      status = next;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

export interface SandboxCustodian extends CustodianControl {
  readonly api: string;
  /** What the API user signs with. */
  readonly apiKey: string;
  readonly keyFile: string;
  /** The official client, and one that soon gives up. */
  readonly fireblocks: Fireblocks;
  readonly impatient: Fireblocks;
  /** Kills the process as a power cut would, and starts it again on the same data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts it on ports of its own, with or without a door for its webhooks; the caller stops it. */
export async function startCustodian(door = ''): Promise<SandboxCustodian> {
  const [apiPort, controlPort] = [await freePort(), await freePort()];
  const data = mkdtempSync(join(stack.folder, 'custodian-'));
  const env = {
    ...{
      NODE_ENV: 'development',
      CUSTODIAN_PORT: String(apiPort),
      CUSTODIAN_CONTROL_PORT: String(controlPort),
    },
    ...{ CUSTODIAN_DATA: data, CUSTODIAN_API_KEY: API_KEY, CUSTODIAN_WEBHOOK_URL: door },
  };
  const base = `http://127.0.0.1:${String(controlPort)}`;
  const begin = async (): Promise<Child> => {
    const child = await startService('custodian', 'dev/custodian/main.ts', env);
    await until(async () => {
      if (child.hasEnded()) throw new Error('the custodian has ended; see its log');
      const answers = await Promise.all(
        [apiPort, controlPort].map((port) =>
          fetch(`http://127.0.0.1:${String(port)}/`).catch(() => undefined),
        ),
      );
      return answers.every((answer) => answer !== undefined);
    });
    return child;
  };
  let child = await begin();
  const keyFile = join(data, 'api-user.pem');
  if (!existsSync(keyFile)) throw new Error('there is no key of the API user');
  const api = `http://127.0.0.1:${String(apiPort)}`;

  const client = (timeout: number): Fireblocks =>
    new Fireblocks({
      ...{ apiKey: API_KEY, secretKey: readFileSync(keyFile, 'utf8'), basePath: `${api}/v1` },
      additionalOptions: { userAgent: 'bank', baseOptions: { timeout } },
    });

  return {
    ...controlAt(base),
    ...{ api, keyFile, apiKey: API_KEY },
    fireblocks: client(SOON_MS),
    impatient: client(500),
    async restart() {
      await child.kill();
      child = await begin();
    },
    stop: () => child.stop(),
  };
}
