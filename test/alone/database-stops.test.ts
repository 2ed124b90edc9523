/** PostgreSQL is cut off for five seconds while money moves. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { transferBody } from '../support/bank/bank.ts';
import { openBranch, type Branch } from '../support/stack/branch.ts';
import { newKey } from '../support/client.ts';
import { until } from '../support/stack/processes.ts';

const TRANSFERS = 200;

let branch: Branch;
beforeAll(async () => {
  branch = await openBranch({ database: 'server' });
  await Promise.all([branch.startApi(), branch.startWorker()]);
});
afterAll(async () => branch.close());

const Problem = z.looseObject({ code: z.string(), request_id: z.string() });

test('two hundred transfers: each is executed or refused with a clear problem, nothing is lost or doubled', async () => {
  const { bank } = branch;
  const customer = await bank.customer();
  const [from, to] = [await bank.fundedAccount(customer, '1000.00'), await bank.account(customer)];
  const order = { from: from.id, to: to.id, amount: '1.00' };
  // signing keys stand in the database too, so what the calls need is got before it stops
  const stepUps = await Promise.all(
    Array.from({ length: TRANSFERS }, () => customer.stepUp('createTransfer', transferBody(order))),
  );
  let answered = 0;
  const asked = stepUps.map(async (stepUp, index) => {
    await sleep(index * 20);
    const wish = { ...order, key: newKey(), stepUp };
    const answer = await bank.transfer(customer, wish);
    answered += 1;
    return { wish, answer };
  });
  await until(() => answered > 10);
  await branch.killDatabase();
  await sleep(5_000);
  await branch.startDatabase();
  const outcomes = await Promise.all(asked);

  const refused = outcomes.filter(({ answer }) => answer.status !== 201);
  for (const { answer } of refused) {
    expect(answer.status).toBe(503);
    expect(Problem.parse(answer.body).code).toBe('unavailable');
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
  }
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThan(TRANSFERS);

  // what was answered stands; what was not is settled by repeating it with its key
  for (const { wish } of refused) {
    let status = 503;
    for (let attempt = 0; status === 503 && attempt < 30; attempt++) {
      status = (await bank.transfer(customer, wish)).status;
      if (status === 503) await sleep(500);
    }
    expect(status).toBe(201);
  }
  expect(await bank.look(customer, to)).toMatchObject({ balance: { amount: '200.00' } });
  expect(await bank.look(customer, from)).toMatchObject({
    balance: { amount: '800.00' },
    held: { amount: '0.00' },
  });
  await bank.expectBooksBalanced();
});
