/** The clock of the database jumps while the service runs: payments and decisions wait, operators are alerted, and it heals by itself. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Child } from '../../tools/devstack/process/child.ts';
import { openBank, TransferAnswer, type Bank } from '../support/bank/bank.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { putClockAhead } from '../support/bank/clock.ts';
import { decideAs } from '../support/bank/transfers.ts';
import { newKey } from '../support/client.ts';
import { openBranch, type Branch } from '../support/stack/branch.ts';
import { freePort, startService, until, untilReady } from '../support/stack/processes.ts';

let branch: Branch;
let books: Books;
let bank: Bank;
let address: string;
let services: readonly Child[];
const log: string[] = [];
beforeAll(async () => {
  branch = await openBranch();
  const port = await freePort();
  address = `http://127.0.0.1:${String(port)}`;
  const env = { ...branch.env, PORT: String(port) };
  const keep = (line: string): void => void log.push(line);
  services = await Promise.all([
    startService('clock-api', 'api/main.ts', env, keep),
    startService('clock-worker', 'workers/main.ts', env, keep),
  ]);
  for (const service of services) await untilReady(address, service);
  bank = openBank(address, branch.env);
  books = openBooks({
    url: branch.env['DATABASE_URL'] ?? '',
    ownerUrl: branch.env['DATABASE_OWNER_URL'] ?? '',
  });
});
afterAll(async () => {
  await bank.expectBooksBalanced();
  await Promise.all(services.map((service) => service.stop()));
  await Promise.all([bank.close(), books.close()]);
  await branch.close();
});

const alerts = () => log.filter((line) => line.includes('"alert":"clock_jumped"'));

async function difference(): Promise<number> {
  const metrics = await (await fetch(`${address}/metrics`)).text();
  return Number(/^teller_clock_difference_seconds (\S+)$/m.exec(metrics)?.[1]);
}

test('a payment answers 503 and a decision waits while the clock is wrong; both are carried out once it is right', async () => {
  const customer = await bank.customer();
  const admin = await bank.admin('transfers:review');
  const [from, to] = [await books.account(customer.id), await books.account(customer.id)];
  await books.fund(from, 10_000_000n);
  const large = await bank.transfer(customer, { from, to, amount: '15000.00' });
  expect(large.body).toMatchObject({ status: 'pending_approval' });

  await putClockAhead(books, 60);
  const wish = { from, to, amount: '5.00', key: newKey() };
  const refused = await bank.transfer(customer, wish);
  expect(refused).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
  await until(() => alerts().length > 0);
  expect(await difference()).toBeCloseTo(60, -1);
  const alerted = alerts().length;
  const decided = decideAs(admin, large.as(TransferAnswer).id, 'execute');
  await until(() => alerts().length > alerted);
  expect((await books.balance(to)).posted).toBe(0n);

  await putClockAhead(books, 0);
  expect((await bank.transfer(customer, wish)).body).toMatchObject({ status: 'executed' });
  // it waited for its process: either that has carried it out in time, or its caller was told that it is accepted, or to come again
  const answer = await decided;
  if (answer.status === 503) expect(answer.body).toMatchObject({ code: 'unavailable' });
  else expect(answer).toMatchObject({ status: 200, body: { decision: { kind: 'execute', by: admin.id } } });
  await until(async () => (await books.balance(to)).posted === 1_500_500n);
  expect(await difference()).toBeCloseTo(0, -1);
});
