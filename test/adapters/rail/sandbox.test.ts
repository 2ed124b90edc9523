/** The sandbox rail as a process: what it has taken it answers, also after it was killed, and it takes a payment once. */
import { expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { readIncoming } from '../../../adapters/rail/incoming.ts';
import { writePain001 } from '../../../adapters/rail/pain001.ts';
import { createStorage } from '../../../adapters/storage.ts';
import { loadConfig } from '../../../config.ts';
import { TransferId } from '../../../domain/ids.ts';
import { railIdOf } from '../../../domain/transfers/rail.ts';
import { freePort, startService, until } from '../../support/stack/processes.ts';
import { stack } from '../../support/stack/stack.ts';

const HOUR_SECONDS = 3_600;

const storage = createStorage(loadConfig(stack.serviceEnv));
const folder = `rail-${randomUUID()}`;
const names = (inside: string) => storage.list(`${folder}/${inside}/`, 100);
const startSandbox = (settleSeconds: number, port = 0) =>
  startService('rail', 'dev/rail/sandbox.ts', {
    RAIL_FOLDER: folder,
    RAIL_PORT: String(port),
    RAIL_SANDBOX_LOOK_SECONDS: '0.1',
    RAIL_SANDBOX_ACCEPT_SECONDS: String(Math.min(1, settleSeconds / 2)),
    RAIL_SANDBOX_SETTLE_SECONDS: String(settleSeconds),
  });

async function give(id: TransferId, createdAt = new Date()): Promise<void> {
  const payment = {
    transferId: id,
    type: 'sepa' as const,
    amount: { minor: 1_234n, asset: 'EUR' },
    debtor: { name: 'Ada', iban: 'DE02120300000000202051' },
    creditor: { name: 'Grace', iban: 'FR1420041010050500013M02606', country: 'FR' },
    remittance: 'Invoice',
    executionDate: '2026-11-23',
  };
  const file = { messageId: railIdOf(id), createdAt };
  const bytes = writePain001(payment, file, { name: 'Bank', bic: 'TELLDEFFXXX' });
  await storage.put(`${folder}/out/${file.messageId}.xml`, bytes, 'application/xml');
}

/** Moves the time of all that the sandbox has still to say. */
async function settleNow(): Promise<void> {
  const plans = await names('bank/plans');
  expect(plans).toHaveLength(1);
  for (const key of plans) {
    const content = await storage.content(key, 100_000);
    const { answers } = Plan.parse(JSON.parse(String(content)));
    const due = { answers: answers.map((answer) => ({ ...answer, at: Date.now() })) };
    await storage.put(key, Buffer.from(JSON.stringify(due)), 'application/json');
  }
}

const Plan = z.object({ answers: z.array(z.looseObject({ at: z.number() })) });

test('a killed sandbox says when it is started again what it had still to say, and pays nothing twice', async () => {
  const id = TransferId.parse(randomUUID());
  const first = await startSandbox(HOUR_SECONDS);
  await storage.put(`${folder}/out/AAA.xml`, Buffer.from('no payment'), 'application/xml');
  await give(id);
  await until(async () => (await names('in')).length === 1);
  await first.kill();
  await settleNow();
  // given again by a worker that does not know whether it was
  await give(id);
  const second = await startSandbox(HOUR_SECONDS);
  try {
    await until(async () => (await names('in')).length === 2);
    await until(async () => (await names('out')).length === 0);
    const files = await Promise.all((await names('in')).map((key) => storage.content(key, 100_000)));
    const reports = files.flatMap((file) => (Buffer.isBuffer(file) ? readIncoming(file) : []));
    expect(reports.map(({ kind, transferId }) => `${kind} ${transferId}`).sort()).toEqual([
      `accepted ${id}`,
      `settled ${id}`,
    ]);
    // the plan goes once both reports are there
    await until(async () => (await names('bank/plans')).length === 0);
    expect(await names('bank/unreadable')).toHaveLength(1);
  } finally {
    await second.stop();
  }
});

const Log = z.object({
  items: z.array(
    z.looseObject({
      call: z.string(),
      message_id: z.string(),
      fault: z.string().optional(),
      file: z.string().optional(),
    }),
  ),
});

test('payments and reports fail as they are told to, and the log says what was exchanged', async () => {
  const port = await freePort();
  const rail = await startSandbox(0.6, port);
  const control = `http://127.0.0.1:${String(port)}`;
  const logOf = async (id: TransferId) => {
    const { items } = Log.parse(await (await fetch(`${control}/log`)).json());
    const kindOf = (file = '') => file.slice(0, 'STL'.length);
    return items
      .filter(({ message_id: message }) => message === railIdOf(id))
      .map(({ call, fault, file }) => [call, fault, kindOf(file)].filter(Boolean).join(' '))
      .toReversed();
  };
  const fail = async (call: string, fault: string, times = 1) => {
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ call, fault, times });
    expect((await fetch(`${control}/faults`, { method: 'POST', headers, body })).status).toBe(200);
  };
  const given = async (ends: string): Promise<string[]> => {
    const id = TransferId.parse(randomUUID());
    await give(id);
    await until(async () => (await logOf(id)).at(-1) === ends);
    return logOf(id);
  };
  try {
    await until(() => fetch(`${control}/log`).then(Boolean, () => false));
    await fail('payment', 'refuse');
    expect(await given('report RJC')).toEqual(['payment refuse', 'report RJC']);
    await fail('payment', 'http_503', 2);
    expect(await given('report STL')).toEqual([
      ...['payment http_503', 'payment http_503', 'payment', 'report ACC', 'report STL'],
    ]);
    await fail('payment', 'timeout');
    expect(await given('payment timeout')).toEqual(['payment timeout']);
    await fail('report', 'timeout_after_commit');
    expect(await given('report STL')).toContain('report timeout_after_commit ACC');
    await fail('report', 'http_500');
    expect(await given('report STL')).toEqual([
      ...['payment', 'report http_500 ACC', 'report ACC', 'report STL'],
    ]);
  } finally {
    await rail.stop();
  }
});

test('reports are dated by the clock of the bank that pays, if that was moved forward', async () => {
  const rail = await startSandbox(0.2);
  const id = TransferId.parse(randomUUID());
  const year = 365 * 86_400_000;
  try {
    await give(id, new Date(Date.now() + year));
    const mine = async () => (await names('in')).filter((key) => key.includes(`STL${railIdOf(id)}`));
    await until(async () => (await mine()).length === 1);
    const file = await storage.content((await mine())[0] ?? '', 100_000);
    const [report] = Buffer.isBuffer(file) ? readIncoming(file) : [];
    expect(Date.parse(report?.at ?? '') - Date.now()).toBeGreaterThan(year - 86_400_000);
  } finally {
    await rail.stop();
  }
});
