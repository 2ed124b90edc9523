/** Statements of account in all their formats, about accounts whose entries were booked at times of the test's choice. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TransactionStatementList } from '../../api/statements/schemas.ts';
import { openBank, type Bank, type Person } from '../support/bank.ts';
import { bookPast } from '../support/history.ts';
import { stack } from '../support/stack.ts';
import { violations } from '../support/xsd.ts';

let bank: Bank;
let owner: Person;
beforeAll(async () => {
  bank = openBank();
  owner = await bank.customer();
});
afterAll(() => bank.close());

const march = { from: '2026-03-01', to: '2026-03-31' };

async function statement(
  account: { id: string },
  accept: string,
  query: Record<string, string> = march,
  as = owner,
) {
  const path = `/v1/accounts/${account.id}/statement`;
  const answer = await as.client.call('GET', path, { token: as.token, query, headers: { Accept: accept } });
  expect({ status: answer.status, type: answer.headers.get('Content-Type') }).toMatchObject({ status: 200 });
  return answer;
}
const json = async (account: { id: string }, query: Record<string, string> = march) =>
  (await statement(account, 'application/json', query)).as(TransactionStatementList);

describe('a month with movements', () => {
  let account: { id: string; currency: string; number: string };
  beforeAll(async () => {
    account = await bank.account(owner);
    await bookPast(bank, account, [
      { at: '2026-02-10T10:00:00Z', minor: 10_000n, description: 'Opening' },
      { at: '2026-03-02T10:00:00Z', minor: -1_234n, description: 'Rent & more <b>' },
      { at: '2026-03-05T10:00:00Z', minor: 50_000n, description: '=SUM(A1:A9)' },
      { at: '2026-04-01T10:00:00Z', minor: -100n, description: 'Later' },
    ]);
  });

  test('leads from the opening balance over its lines to the closing one, and on to the next month', async () => {
    const list = await json(account);
    expect(list.opening_balance.amount).toBe('100.00');
    expect(
      list.items.map(({ direction, amount, balance }) => [direction, amount.amount, balance.amount]),
    ).toEqual([
      ['debit', '12.34', '87.66'],
      ['credit', '500.00', '587.66'],
    ]);
    expect(list.closing_balance.amount).toBe('587.66');
    expect([list.credits, list.debits]).toMatchObject([
      { count: 1, amount: { amount: '500.00' } },
      { count: 1, amount: { amount: '12.34' } },
    ]);
    const april = await json(account, { from: '2026-04-01', to: '2026-04-30' });
    expect(april.opening_balance).toEqual(list.closing_balance);
  });

  test('is the same, byte by byte, each time it is asked for', async () => {
    for (const accept of ['application/json', 'text/csv', 'application/pdf', 'application/xml']) {
      const [one, other] = [await statement(account, accept), await statement(account, accept)];
      expect(one.text.length).toBeGreaterThan(100);
      expect(other.text).toBe(one.text);
    }
  });

  test('is valid camt.053.001.08', async () => {
    const { text, headers } = await statement(account, 'application/xml');
    expect(violations('camt.053.001.08', text)).toEqual([]);
    expect(headers.get('Content-Disposition')).toContain(`statement-${account.number}-20260301-20260331.xml`);
  });

  test('as CSV', async () => {
    const { text } = await statement(account, 'text/csv');
    process.stderr.write(text);
  });

  test('as PDF', async () => {
    const path = `${stack.api}/v1/accounts/${account.id}/statement?from=2026-03-01&to=2026-03-31`;
    const answer = await fetch(path, {
      headers: { Authorization: `Bearer ${owner.token}`, Accept: 'application/pdf' },
    });
    writeFileSync(join('/tmp', 'statement.pdf'), Buffer.from(await answer.arrayBuffer()));
    expect(randomUUID()).toBeTruthy();
  });
});
