/** Whom a customer can pay: by account, contact, IBAN, inside the bank and outside; and what holds a payment up. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { issuerOf, loadConfig } from '../../../config.ts';
import { ibanOf } from '../../../domain/standards/iban.ts';
import { openBank, TransferAnswer, type Bank, type Person } from '../../support/bank/bank.ts';
import { newKey } from '../../support/client.ts';
import { newPhone } from '../../support/bank/people.ts';
import { until } from '../../support/stack/processes.ts';
import { stack } from '../../support/stack/stack.ts';
import { decideAs, pay, quote, transferType } from '../../support/bank/transfers.ts';

let bank: Bank;
beforeAll(() => {
  bank = openBank();
});
afterAll(async () => {
  await bank.expectBooksBalanced();
  await bank.close();
});

const FRENCH = { iban: 'FR14 2004 1010 0505 0001 3m02 606', name: 'Hélène Müller' };

async function payer(amount = '500.00', type?: string) {
  const customer = await bank.customer();
  return { customer, from: await bank.fundedAccount(customer, amount, type) };
}

async function settled(customer: Person, id: string): Promise<Record<string, unknown>> {
  const Ended = z.looseObject({ status: z.string() });
  const see = async () =>
    (await customer.client.call('GET', `/v1/transfers/${id}`, { token: customer.token })).as(Ended);
  await until(async () => !['submitted', 'queued', 'pending_approval'].includes((await see()).status));
  return see();
}

describe('inside the bank', () => {
  test('a customer is paid by email, into the account of the payer’s currency', async () => {
    const { customer, from } = await payer();
    const friend = await bank.customer();
    await bank.account(friend, 'current_usd');
    const euros = await bank.account(friend);
    const answer = await pay(customer, {
      from: from.id,
      to: { email: `${friend.id.toUpperCase()}@BANK.test` },
      amount: '5.00',
    });
    expect(answer.body).toMatchObject({
      status: 'executed',
      type: 'internal',
      destination_account_number: euros.number,
      beneficiary: null,
    });
  });

  test('a phone number pays its owner once it is proven, and nobody before', async () => {
    const { customer, from } = await payer();
    const friend = await bank.customer();
    const account = await bank.account(friend);
    const phone = newPhone().number;
    await bank.asOwner('update users set phone = $2 where id = $1', [friend.id, phone]);
    const send = () => pay(customer, { from: from.id, to: { phone }, amount: '5.00' });
    expect((await send()).status).toBe(404);
    await bank.asOwner('update users set phone_verified_at = now() where id = $1', [friend.id]);
    expect((await send()).body).toMatchObject({ destination_account_number: account.number });
  });

  test('a quote for an email address or a phone number does not tell the account number behind it', async () => {
    const { customer, from } = await payer();
    const friend = await bank.customer();
    const account = await bank.account(friend);
    const phone = newPhone().number;
    await bank.asOwner('update users set phone = $2, phone_verified_at = now() where id = $1', [
      friend.id,
      phone,
    ]);
    for (const to of [{ email: `${friend.id}@bank.test` }, { phone }]) {
      const key = newKey();
      const quoted = await quote(customer, { from: from.id, to, amount: '5.00', key });
      expect(quoted.body).toMatchObject({ type: 'internal', destination_account_number: null });
      expect(quoted.text).not.toContain(account.number);
      expect((await quote(customer, { from: from.id, to, amount: '5.00', key })).text).toBe(quoted.text);
    }
    const named = await quote(customer, {
      ...{ from: from.id, to: { account_number: account.number }, amount: '5.00' },
    });
    expect(named.body).toMatchObject({ destination_account_number: account.number });
  });

  test('an IBAN of this bank is booked at once, without the rail', async () => {
    const { customer, from } = await payer();
    const friend = await bank.customer();
    const theirs = await bank.account(friend);
    const [found] = await bank.asOwner('select iban from accounts where id = $1', [theirs.id]);
    const answer = await pay(customer, {
      from: from.id,
      to: { iban: z.string().parse(found?.['iban']), name: 'Whoever' },
      amount: '5.00',
    });
    expect(answer.body).toMatchObject({ type: 'internal', status: 'executed', beneficiary: null });
    expect(await bank.look(friend, theirs)).toMatchObject({ balance: { amount: '5.00' } });
  });

  test('unknown, foreign and closed destinations are told apart no more than needed', async () => {
    const { customer, from } = await payer();
    const send = async (to: object) => (await pay(customer, { from: from.id, to, amount: '1.00' })).status;
    expect(await send({ account_id: randomUUID() })).toBe(404);
    expect(await send({ email: 'nobody@nowhere.test' })).toBe(404);
    expect(await send({ account_number: '999999999999' })).toBe(404);
    const iban = ibanOf(issuerOf(loadConfig(stack.serviceEnv)), '999999999999');
    expect(await send({ iban, name: 'Nobody' })).toBe(404);
  });
});

describe('what is wrong is pointed at', () => {
  test.each<[string, object, object, string]>([
    ['an IBAN with a wrong digit', { iban: 'FR1420041010050500013M02607', name: 'A' }, {}, '/destination'],
    ['an IBAN without a name', { iban: FRENCH.iban }, {}, '/destination'],
    ['a name with a line break', { ...FRENCH, name: 'A\nB' }, {}, '/destination'],
    ['two destinations', { ...FRENCH, email: 'a@b.test' }, {}, '/destination'],
    ['no amount', FRENCH, { amount: undefined }, '/amount'],
    ['a currency that is none', FRENCH, { targetCurrency: 'XXX' }, '/target_currency'],
    ['two amounts', FRENCH, { amount: '1.00', target: { amount: '1.00', currency: 'EUR' } }, '/amount'],
  ])('%s', async (_what, to, more, pointer) => {
    const { customer, from } = await payer();
    const answer = await pay(customer, { from: from.id, to, amount: '1.00', ...more });
    expect(answer.status).toBe(400);
    const { errors } = z
      .looseObject({ errors: z.array(z.looseObject({ pointer: z.string() })) })
      .parse(answer.body);
    expect(errors[0]?.pointer.startsWith(pointer)).toBe(true);
  });
});

describe('outside the bank', () => {
  test('a payment is given to the rail, settled, and seen with its beneficiary', async () => {
    const { customer, from } = await payer();
    const type = await transferType(bank, { reach: 'sepa' });
    const answer = await pay(customer, {
      type,
      from: from.id,
      to: FRENCH,
      amount: '120.00',
      description: 'Invoice 7',
    });
    expect(answer).toMatchObject({
      status: 201,
      body: {
        status: 'submitted',
        destination_account_number: null,
        beneficiary: { name: 'Hélène Müller', iban: 'FR1420041010050500013M02606', country: 'FR' },
      },
    });
    expect(await bank.look(customer, from)).toMatchObject({ balance: { amount: '380.00' } });
    expect(await settled(customer, answer.as(TransferAnswer).id)).toMatchObject({ status: 'executed' });
  });

  test('what comes back is booked back, with the reason', async () => {
    const { customer, from } = await payer();
    const type = await transferType(bank, { reach: 'sepa' });
    const answer = await pay(customer, {
      type,
      from: from.id,
      to: FRENCH,
      amount: '120.00',
      description: 'sandbox: return AC04',
    });
    expect(await settled(customer, answer.as(TransferAnswer).id)).toMatchObject({
      status: 'returned',
      return_code: 'AC04',
    });
    expect(await bank.look(customer, from)).toMatchObject({ balance: { amount: '500.00' } });
  });

  test('outside the rail’s hours it waits with the money held, and can be cancelled', async () => {
    const { customer, from } = await payer();
    const type = await transferType(bank, { reach: 'sepa', closed: true });
    const answer = await pay(customer, { type, from: from.id, to: FRENCH, amount: '120.00' });
    expect(answer.body).toMatchObject({ status: 'queued', due_at: expect.any(String) });
    expect(await bank.look(customer, from)).toMatchObject({ held: { amount: '120.00' } });
    const cancelled = await customer.client.call(
      'POST',
      `/v1/transfers/${answer.as(TransferAnswer).id}/cancel`,
      { token: customer.token, key: newKey(), stepUp: await customer.stepUp('cancelTransfer') },
    );
    expect(cancelled.body).toMatchObject({ status: 'cancelled' });
    expect(await bank.look(customer, from)).toMatchObject({ held: { amount: '0.00' } });
  });

  test('a type reaches only where it reaches', async () => {
    const { customer, from } = await payer();
    const [own, internal, sepa] = [
      await transferType(bank, { reach: 'own' }),
      await transferType(bank, { reach: 'internal' }),
      await transferType(bank, { reach: 'sepa' }),
    ];
    const stranger = { account_id: (await bank.account(await bank.customer())).id };
    const turkish = { iban: 'TR330006100519786457841326', name: 'Ayşe' };
    for (const [type, to] of [
      [own, stranger],
      [internal, FRENCH],
      [sepa, stranger],
      [sepa, { account: '12345', bic: 'CHASUS33', country: 'US', name: 'Joe' }],
      [sepa, turkish],
      ['no_such_type', stranger],
    ] as const)
      for (const ask of [pay, quote])
        expect(await ask(customer, { type, from: from.id, to, amount: '1.00' })).toMatchObject({
          status: 409,
          body: { code: 'transfer_type_unavailable' },
        });
    const abroad = await transferType(bank, { reach: 'international' });
    for (const [type, to] of [
      [internal, { account_id: (await bank.account(customer)).id }],
      [abroad, turkish],
      [abroad, FRENCH],
    ] as const)
      expect(await quote(customer, { type, from: from.id, to, amount: '1.00' })).toMatchObject({
        status: 200,
      });
  });

  test('a quote for somebody outside names them, and binds', async () => {
    const { customer, from } = await payer();
    const type = await transferType(bank, { reach: 'sepa' });
    const quoted = await quote(customer, { type, from: from.id, to: FRENCH, amount: '10.00' });
    expect(quoted).toMatchObject({ status: 200, body: { beneficiary: { name: 'Hélène Müller' }, fees: [] } });
    const quoteId = quoted.as(TransferAnswer.pick({ id: true })).id;
    const other = { ...FRENCH, name: 'Somebody Else' };
    const use = (to: object) => pay(customer, { type, from: from.id, to, amount: '10.00', quoteId });
    expect((await use(other)).body).toMatchObject({ code: 'quote_unusable' });
    expect((await use(FRENCH)).body).toMatchObject({ status: 'submitted', quote_id: quoteId });
  });
});

describe('a flagged account', () => {
  test('holds what leaves it, without telling its owner, until another officer clears it', async () => {
    const { customer, from } = await payer();
    const to = await bank.account(await bank.customer());
    const [officer, other] = await Promise.all([
      bank.admin('aml:review', 'accounts:read', 'transfers:read'),
      bank.admin('aml:review', 'accounts:read', 'transfers:read'),
    ]);
    const flag = (who: Person, path: string, reason: string) =>
      who.client.call('POST', `/v1/admin/accounts/${from.id}/${path}`, {
        token: who.token,
        key: newKey(),
        body: { reason },
      });
    expect((await flag(officer, 'aml-flag', 'looks odd')).status).toBe(201);
    const held = await pay(customer, { from: from.id, to: { account_id: to.id }, amount: '50.00' });
    expect(held.body).toMatchObject({ status: 'pending_approval' });
    const { id } = held.as(TransferAnswer);
    const seen = await officer.client.call('GET', `/v1/admin/transfers/${id}`, { token: officer.token });
    expect(seen.body).toMatchObject({ status: 'aml_review', waits_for: 'aml_clearance' });
    // an approval is not what it waits for
    const reviewer = await bank.admin('transfers:review');
    expect((await decideAs(reviewer, id, 'execute')).body).toMatchObject({ code: 'transfer_not_pending' });
    expect((await flag(officer, 'aml-flag/clear', 'I was wrong')).status).toBe(403);
    expect((await flag(other, 'aml-flag/clear', 'salary, proven')).status).toBe(200);
    expect(await settled(customer, id)).toMatchObject({ status: 'executed' });
  });
});
