/** The sandbox rail as a process: what it has taken it answers, also after it was killed, and it takes a payment once. */
import { expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { readIncoming } from '../../../adapters/rail/incoming.ts';
import { writePain001 } from '../../../adapters/rail/pain001.ts';
import { createStorage } from '../../../adapters/storage.ts';
import { loadConfig } from '../../../config.ts';
import { TransferId } from '../../../domain/ids.ts';
import { railIdOf } from '../../../domain/transfers/rail.ts';
import { startService, until } from '../../support/stack/processes.ts';
import { stack } from '../../support/stack/stack.ts';

const storage = createStorage(loadConfig(stack.serviceEnv));
const folder = `rail-${randomUUID()}`;
const names = (inside: string) => storage.list(`${folder}/${inside}/`, 100);
const startSandbox = (settleSeconds: number) =>
  startService('rail', 'dev/rail/sandbox.ts', {
    RAIL_FOLDER: folder,
    RAIL_SANDBOX_SETTLE_SECONDS: String(settleSeconds),
  });

async function give(id: TransferId): Promise<void> {
  const payment = {
    transferId: id,
    type: 'sepa' as const,
    amount: { minor: 1_234n, asset: 'EUR' },
    debtor: { name: 'Ada', iban: 'DE02120300000000202051' },
    creditor: { name: 'Grace', iban: 'FR1420041010050500013M02606', country: 'FR' },
    remittance: 'Invoice',
    executionDate: '2026-11-23',
  };
  const file = { messageId: railIdOf(id), createdAt: new Date() };
  const bytes = writePain001(payment, file, { name: 'Bank', bic: 'TELLDEFFXXX' });
  await storage.put(`${folder}/out/${file.messageId}.xml`, bytes, 'application/xml');
}

test('a killed sandbox says when it is started again what it had still to say, and pays nothing twice', async () => {
  const id = TransferId.parse(randomUUID());
  const first = await startSandbox(4);
  await storage.put(`${folder}/out/AAA.xml`, Buffer.from('no payment'), 'application/xml');
  await give(id);
  await until(async () => (await names('in')).length === 1);
  await first.kill();
  // given again by a worker that does not know whether it was
  await give(id);
  const second = await startSandbox(4);
  try {
    await until(async () => (await names('in')).length === 2);
    await until(async () => (await names('out')).length === 0);
    const files = await Promise.all((await names('in')).map((key) => storage.content(key, 100_000)));
    const reports = files.flatMap((file) => (Buffer.isBuffer(file) ? readIncoming(file) : []));
    expect(reports.map(({ kind, transferId }) => `${kind} ${transferId}`).sort()).toEqual([
      `accepted ${id}`,
      `settled ${id}`,
    ]);
    expect(await names('bank/plans')).toEqual([]);
    expect(await names('bank/unreadable')).toHaveLength(1);
  } finally {
    await second.stop();
  }
});
