/** `npm run trace`: the whole story by any id that belongs to it, with what is missing, and without a word about people. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { createCipher } from '../../../adapters/cipher.ts';
import { connectTemporal } from '../../../adapters/temporal.ts';
import { loadConfig, type Config } from '../../../config.ts';
import { openOrm } from '../../../db/orm.ts';
import { trace, type TraceDeps, type Traced } from '../../../services/platform/trace/trace.ts';
import { openBank, type Bank } from '../../support/bank/bank.ts';
import { ChangeAnswer, decideOn } from '../../support/bank/second-person.ts';
import { approvedTransfer } from '../../support/bank/transfers.ts';
import { newKey } from '../../support/client.ts';
import { until } from '../../support/stack/processes.ts';
import { stack } from '../../support/stack/stack.ts';

const Made = z.looseObject({ id: z.uuid() });
const PERSONAL = /for Ada|@bank\.test|Test|Person|goodwill/;

let bank: Bank;
beforeAll(() => {
  bank = openBank();
});
afterAll(() => bank.close());

/** As the command does it; `changes` take parts away. */
async function traced(
  id: string,
  changes: Partial<Config> = {},
  patience: Pick<TraceDeps, 'temporalMilliseconds'> = {},
): Promise<Traced> {
  const config = { ...loadConfig(stack.serviceEnv), ...changes };
  const cipher = createCipher(config.ENCRYPTION_KEYS);
  const orm = openOrm(config);
  const temporal = connectTemporal(config, cipher);
  try {
    return await trace({ db: () => orm.em.fork(), temporal, cipher, config, ...patience }, id);
  } finally {
    await Promise.allSettled([orm.close(true), temporal.close()]);
  }
}

/** The story once it is whole and nothing of it is under way: a busy machine needs a moment to say that it has said everything. */
async function settled(id: string, end = 'the run has ended'): Promise<Traced> {
  let story = await traced(id);
  await until(async () => {
    story = await traced(id);
    return story.isWhole && story.text.includes(end) && !story.text.includes('still to be brought');
  });
  return story;
}

/** All of these, in this order. */
function expectInOrder(text: string, parts: readonly string[]): void {
  const places = parts.map((part) => text.indexOf(part));
  expect(parts.filter((_part, index) => places[index] === -1)).toEqual([]);
  expect(places).toEqual(places.toSorted((one, other) => one - other));
}

test('a transfer is told from the request that ordered it to the entries, by each id that belongs to it', async () => {
  const customer = await bank.customer();
  const { id, ordered, decided } = await approvedTransfer(bank, customer, (made) =>
    until(async () => (await traced(made)).text.includes('shows the status pending_approval')),
  );
  const { text } = await settled(id);
  expectInOrder(text, [
    `transfer ${id}: executed, 12345.67 EUR, type own, customer ${customer.id}`,
    `process transfer/${id}: completed`,
    `ordered by ${customer.id}`,
    `request ${ordered}`,
  ]);
  expectInOrder(text, ['a run begins', 'shows the status executed', 'the run has ended']);
  expectInOrder(text, ['execute by', `request ${decided}`, 'done']);
  for (const part of [
    /process {3}hears decide/,
    /process {3}activity carryOutStep has ended, inside the task/,
    /ledger +-12345\.67 EUR {2}\w+ on \d+ \(transaction /,
    /ledger +12345\.67 EUR {2}\w+ on \d+ \(transaction /,
    /audit +transfer\.executed → executed by admin .*, request decide-/,
  ])
    expect(text).toMatch(part);
  expect(text).not.toMatch(PERSONAL);
  for (const other of [`transfer/${id}`, ordered, decided]) expect((await settled(other)).text).toBe(text);
});

test('a transfer that was booked at once has no process, and says so', async () => {
  const customer = await bank.customer();
  const [from, to] = [await bank.fundedAccount(customer, '50.00'), await bank.account(customer)];
  const { id } = (await bank.transfer(customer, { from: from.id, to: to.id, amount: '1.00' })).as(Made);
  const { text } = await settled(id, 'none: it ended at once, or its history is kept no longer');
  expect(text).toMatch(/ledger +-1\.00 EUR/);
});

test('a ticket and an account request are told, without what people wrote', async () => {
  const customer = await bank.customer();
  const as = { token: customer.token };
  const ticket = await customer.client.call('POST', '/v1/tickets', {
    ...{ ...as, key: newKey(), body: { subject: 'goodwill for Ada', body: 'for Ada', category: 'other' } },
  });
  const told = await traced(ticket.as(Made).id);
  expectInOrder(told.text, [
    'ticket ',
    ', open, category other, customer ',
    'opened by ',
    'ticket.opened → open by customer',
  ]);
  expect(told.text).not.toMatch(PERSONAL);
  const [type] = await bank.asOwner(
    `select id, code from account_types where openable_by = 'request' and enabled order by code limit 1`,
  );
  const request = await customer.client.call('POST', '/v1/account-requests', {
    ...{ ...as, key: newKey(), body: { account_type_id: type?.['id'], nickname: 'for Ada' } },
  });
  const asked = await traced(`account-request/${request.as(Made).id}`);
  expectInOrder(asked.text, [
    `: pending, type ${String(type?.['code'])}, customer ${customer.id}`,
    'asked for by',
  ]);
  expect(asked.text).not.toMatch(PERSONAL);
});

test('a change that waited for a second administrator is told, with both and without its reasons', async () => {
  const { id: account } = await bank.account(await bank.customer());
  const [maker, checker] = [await bank.admin('accounts:write'), await bank.admin('accounts:write')];
  const asked = await maker.client.call('PATCH', `/v1/admin/accounts/${account}/limits`, {
    token: maker.token,
    body: { overdraft_limit: { amount: '500.00', currency: 'EUR' }, reason: 'goodwill for Ada' },
  });
  const { id } = asked.as(ChangeAnswer);
  expect((await decideOn(checker, { id }, 'approve')).status).toBe(200);
  const { text } = await settled(`change/${id}`);
  expectInOrder(text, [
    `change ${id}: applied, `,
    `of account ${account}`,
    `asked for by ${maker.id}`,
    `by ${checker.id}`,
  ]);
  expect(text).not.toMatch(PERSONAL);
});

test('what a part that is away would have known is said to be missing', async () => {
  const customer = await bank.customer();
  const { id } = await approvedTransfer(bank, customer);
  const nobody = { TEMPORAL_ADDRESS: '127.0.0.1:1' };
  const withoutTemporal = await traced(id, nobody, { temporalMilliseconds: 500 });
  expect(withoutTemporal.isWhole).toBe(false);
  expect(withoutTemporal.text).toContain('missing: Temporal does not answer');
  expect(withoutTemporal.text).toMatch(/ledger +-12345\.67 EUR/);
  const nowhere = 'postgresql://nobody@127.0.0.1:1/none';
  const withoutRows = await traced(`transfer/${id}`, { DATABASE_URL: nowhere });
  expect(withoutRows.isWhole).toBe(false);
  expect(withoutRows.text).toContain('missing: The database does not answer (');
  expect(withoutRows.text).toContain('ECONNREFUSED');
  expect(withoutRows.text).toContain('a run begins');
});

test('an id that nothing has is said to be unknown', async () => {
  for (const id of [newKey(), `transfer/${newKey()}`, 'no-request', "'; drop table transfers; --"]) {
    const { text, isWhole } = await traced(id);
    expect(isWhole).toBe(false);
    expect(text).toContain(`Nothing is known of ${id}`);
  }
});
