/** One call is one trace: HTTP, workflow, activity and SQL hang together, and hold nothing confidential. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { apiClient, newKey } from '../../support/client.ts';
import { openBranch, type Branch } from '../../support/stack/branch.ts';
import { until } from '../../support/stack/processes.ts';

/** What is read of OTLP/HTTP's JSON form. */
const Export = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({
        attributes: z.array(
          z.object({ key: z.string(), value: z.object({ stringValue: z.string().optional() }) }),
        ),
      }),
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              traceId: z.string(),
              spanId: z.string(),
              parentSpanId: z.string().optional(),
              name: z.string(),
            }),
          ),
        }),
      ),
    }),
  ),
});

interface Span {
  readonly service: string;
  readonly traceId: string;
  readonly name: string;
}

const received: Span[] = [];
let texts = '';
let collector: Server;
let branch: Branch;

beforeAll(async () => {
  collector = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      take(Buffer.concat(chunks).toString());
      response.setHeader('Content-Type', 'application/json').end('{}');
    });
  });
  const endpoint = `http://127.0.0.1:${String(await listen(collector))}`;
  branch = await openBranch({ settings: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } });
  await Promise.all([branch.startApi(), branch.startWorker()]);
});
afterAll(async () => {
  await branch.close();
  collector.closeAllConnections();
  collector.close();
});

test('a transfer that waits is one trace from the call through workflow and activity to the database', async () => {
  const { bank, api } = branch;
  const customer = await bank.customer();
  const [from, to] = [await bank.fundedAccount(customer, '20123.45'), await bank.account(customer)];
  const body = {
    source_account_id: from.id,
    destination: { account_id: to.id },
    amount: { amount: '10077.31', currency: 'EUR' },
    description: 'a confidential purpose',
  };
  const traceId = newKey().replaceAll('-', '');
  const answer = await apiClient(api).call('POST', '/v1/transfers', {
    token: customer.token,
    stepUp: await customer.stepUp('createTransfer', body),
    key: newKey(),
    headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-00` },
    body,
  });
  expect(answer).toMatchObject({ status: 201, body: { status: 'pending_approval' } });
  // the span of a workflow is told of at its end
  const { id } = answer.as(z.looseObject({ id: z.string() }));
  const cancelled = await apiClient(api).call('POST', `/v1/transfers/${id}/cancel`, {
    token: customer.token,
    stepUp: await customer.stepUp('cancelTransfer'),
    key: newKey(),
  });
  expect(cancelled.status).toBe(200);
  const wanted = [
    ['teller-api', /^createTransfer$/],
    ['teller-api', /^select\b/],
    // whoever finds it in the outbox first
    [/^teller-/, /^StartWorkflow:transfer/],
    ['teller-worker', /^RunWorkflow:transfer/],
    ['teller-worker', /^RunActivity:/],
    ['teller-worker', /^(select|insert|update)\b/],
  ] as const;
  const has = ([service, name]: (typeof wanted)[number]): boolean =>
    received.some(
      (span) => span.traceId === traceId && span.service.search(service) === 0 && name.test(span.name),
    );
  await until(() => wanted.every(has)).catch(() => undefined);
  const names = received
    .filter((span) => span.traceId === traceId)
    .map(({ service, name }) => `${service} ${name}`);
  expect({ missing: wanted.filter((one) => !has(one)).map(String), names }).toEqual({ missing: [], names });
});

test('no span holds a token, an amount, a text of the customer or a statement’s parameters', () => {
  expect(texts.length).toBeGreaterThan(1_000);
  for (const secret of ['77.31', '123.45', 'a confidential purpose', 'eyJ', '@bank.test']) {
    expect(texts).not.toContain(secret);
  }
});

function take(text: string): void {
  texts += text;
  for (const { resource, scopeSpans } of Export.parse(JSON.parse(text)).resourceSpans) {
    const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
    for (const { spans } of scopeSpans)
      for (const { traceId, name } of spans) received.push({ service, traceId, name });
  }
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve((server.address() as AddressInfo).port);
    });
  });
}
