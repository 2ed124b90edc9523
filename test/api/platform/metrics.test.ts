/** What a process counts of itself: refusals, throttles, passwords that wait, batches of orders, and parts that fail. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createCipher } from '../../../adapters/cipher.ts';
import { createMail, MailUnavailable } from '../../../adapters/mail.ts';
import { batchMetrics, ownMetrics } from '../../../adapters/metrics.ts';
import { createStorage } from '../../../adapters/storage.ts';
import { connectTemporal } from '../../../adapters/temporal.ts';
import { loadConfig } from '../../../config.ts';
import { createOrderTaker } from '../../../db/ledger/transfers.ts';
import { refuse } from '../../../domain/refusals.ts';
import { createPasswords } from '../../../services/identity/passwords/passwords.ts';
import { createThrottles } from '../../../services/platform/throttles.ts';
import { createFileRail } from '../../../services/transfers/file-rail.ts';
import { countingFailures } from '../../../workers/counted-rail.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { SHARED } from '../../support/stack/database.ts';
import { openMover } from '../../support/bank/movements.ts';
import { claimOf } from '../../support/bank/orders.ts';
import { newKey } from '../../support/client.ts';
import { sampleIn } from '../../support/metrics.ts';
import { serve } from '../../support/stack/frame-world.ts';
import { freePort } from '../../support/stack/processes.ts';
import { stack } from '../../support/stack/stack.ts';

const config = loadConfig(stack.serviceEnv);
const registry = new Registry();
let books: Books;
beforeAll(() => {
  books = openBooks(SHARED);
  for (const metric of ownMetrics()) registry.registerMetric(metric);
});
afterAll(() => books.close());

const value = async (sample: string): Promise<number> => sampleIn(await registry.metrics(), sample) ?? 0;

/** By how much it has grown. */
async function growth(sample: string, act: () => Promise<unknown>): Promise<number> {
  const before = await value(sample);
  await act();
  return (await value(sample)) - before;
}

test('a refusal is counted by its code', async () => {
  const world = await serve([]);
  const grown = await growth('teller_refusals_total{code="not_found"}', () =>
    world.call('GET', '/v1/nowhere'),
  );
  await world.close();
  expect(grown).toBe(1);
});

test('an attempt that a throttle refuses is counted by the name of the throttle', async () => {
  const throttles = createThrottles({ cipher: createCipher(config.ENCRYPTION_KEYS), em: books.em });
  const key = newKey();
  const take = () => throttles.take({ refusal: refuse }, 'of a test', key, { points: 2, seconds: 60 });
  const sample = 'teller_throttled_total{throttle="of a test"}';
  expect(await growth(sample, () => Promise.all([take(), take()]))).toBe(0);
  expect(await growth(sample, () => take().catch(() => undefined))).toBe(1);
});

test('passwords that are hashed and those that wait are shown, and none is left over', async () => {
  const passwords = createPasswords(1);
  const hashes = Promise.all(Array.from({ length: 4 }, () => passwords.hash('seven quiet otters')));
  const states = () =>
    Promise.all(['running', 'waiting'].map((state) => value(`teller_password_hashes{state="${state}"}`)));
  expect(await states()).toEqual([1, 3]);
  await hashes;
  expect(await states()).toEqual([0, 0]);
});

test('orders are counted by the batch that carried them, and a batch that is rolled back by its cause', async () => {
  const [payer, ahead] = [await openMover(books), await openMover(books)];
  await books.asOwner(`update accounts set last_entry_at = bank_now() + interval '1 minute' where id = $1`, [
    ahead.from,
  ]);
  const taker = createOrderTaker(books.em, false, batchMetrics);
  expect(
    await growth('teller_order_batch_size_sum', () =>
      Promise.all(Array.from({ length: 5 }, () => taker.submit(claimOf(payer.order(1n))))),
    ),
  ).toBe(5);
  const fail = () => expect(taker.submit(claimOf(ahead.order(1n)))).rejects.toThrow();
  expect(await growth('teller_order_batches_failed_total{because="order"}', fail)).toBe(1);
});

test('calls that a part does not answer are counted by the part', async () => {
  const port = String(await freePort());
  const away = {
    ...config,
    ...{ SMTP_URL: `smtp://127.0.0.1:${port}`, S3_ENDPOINT: `http://127.0.0.1:${port}` },
    TEMPORAL_ADDRESS: `127.0.0.1:${port}`,
  };
  const failures = (part: string) => `teller_part_failures_total{part="${part}"}`;
  const letter = { to: 'a@bank.test', subject: 'x', text: 'x' };
  const sent = () => expect(createMail(away).send(letter, 'x')).rejects.toBeInstanceOf(MailUnavailable);
  expect(await growth(failures('mail'), sent)).toBe(1);

  const storage = createStorage(away);
  expect(await growth(failures('storage'), () => expect(storage.stat('x')).rejects.toThrow())).toBe(1);

  const log = pino({ level: 'silent' });
  const rail = countingFailures(
    createFileRail({ config: { ...config, RAIL_FOLDER: 'metrics' }, storage, em: books.em, log }),
  );
  const collect = () => expect(rail.collect(() => Promise.resolve())).rejects.toThrow();
  expect(await growth(failures('rail'), collect)).toBe(1);

  const temporal = connectTemporal(away, createCipher(config.ENCRYPTION_KEYS));
  const described = () =>
    expect(temporal.within(500, () => temporal.client.workflow.getHandle('x').describe())).rejects.toThrow();
  expect(await growth(failures('temporal'), described)).toBe(1);
  await temporal.close();
});
