/** From asking for a transfer until it is executed, against the least that Temporal can do for a caller who waits. */
import { WithStartWorkflowOperation } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { createCipher } from '../adapters/cipher.ts';
import { connectTemporal } from '../adapters/temporal.ts';
import { loadConfig } from '../config.ts';
import { queueName } from '../domain/queues.ts';
import type { Caller } from './stage/caller.ts';
import { compare, drive, type Comparison } from './measure.ts';
import type { Stage } from './stage/stage.ts';
import { answered } from './stage/workflows.ts';

const SECONDS = 5;
/** More than the callers of one round can spend. */
const TOKENS_A_ROUND = 5_000;
const CALLERS = [1, 16, 32, 64];

/** The whole request over HTTP, with step-up, idempotency key and answer. */
export async function benchTransfers(stage: Stage, caller: Caller, rounds: number): Promise<Comparison[]> {
  const config = loadConfig(stage.env);
  const temporal = connectTemporal(config, createCipher(config.ENCRYPTION_KEYS));

  const bare = async (): Promise<void> => {
    const startWorkflowOperation = new WithStartWorkflowOperation('bare', {
      workflowId: `bare/${randomUUID()}`,
      taskQueue: queueName(config.TEMPORAL_TASK_QUEUE, 'money'),
      args: [null],
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
    });
    await temporal.within(20_000, () =>
      temporal.client.workflow.executeUpdateWithStart(answered, {
        updateId: randomUUID(),
        startWorkflowOperation,
      }),
    );
  };

  const results: Comparison[] = [];
  for (const callers of CALLERS) {
    const floor = () => drive(callers, SECONDS, bare);
    await floor();
    const overHttp = async () => drive(callers, SECONDS, await posting(stage, caller));
    results.push(
      await compare(`POST /v1/transfers to executed, ${callers} callers`, rounds, overHttp, floor),
    );
  }
  await temporal.close();
  return results;
}

/** A client that has its step-up tokens before it is measured. */
async function posting(stage: Stage, caller: Caller): Promise<() => Promise<void>> {
  const order = {
    source_account_id: caller.source,
    destination: { account_id: caller.destination },
    amount: { amount: '0.01', currency: 'EUR' },
  };
  const tokens = await Promise.all(Array.from({ length: TOKENS_A_ROUND }, () => caller.stepUp(order)));
  const agent = new Agent({ keepAlive: true });
  const body = JSON.stringify(order);
  return async () => {
    const headers = {
      authorization: `Bearer ${caller.token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'idempotency-key': randomUUID(),
      'x-step-up-token': tokens.pop() ?? '',
    };
    const ask = () => send(new URL('/v1/transfers', stage.api), { method: 'POST', agent, headers }, body);
    let { status, text } = await ask();
    // what a client does with 503: the same again, with the same key; it costs latency here too
    for (let attempt = 0; status === 503 && attempt < 3; attempt++) ({ status, text } = await ask());
    if (status !== 201 || !text.includes('"executed"')) throw new Error(`${status} ${text}`);
  };
}

function send(url: URL, options: object, body: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const call = request(url, options, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.on('end', () => {
        resolve({ status: answer.statusCode ?? 0, text });
      });
    });
    call.on('error', reject).end(body);
  });
}
