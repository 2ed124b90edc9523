/** What people are told of payments, tickets and requests: once, in the feed and by mail, whoever caused it. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openBank, TransferAnswer, type Bank, type Person } from '../../support/bank/bank.ts';
import { openDesk, supporter } from '../../support/bank/desk.ts';
import { feedOf, lookAtFeed } from '../../support/bank/notifications.ts';
import { decideAs, pay, payerWith, transferType } from '../../support/bank/transfers.ts';
import { newKey, patiently } from '../../support/client.ts';
import { mailboxOf, type Mail } from '../../support/stack/inbox.ts';
import { until } from '../../support/stack/processes.ts';

const FRENCH = { name: 'Hélène Müller', iban: 'FR1420041010050500013M02606' };

let bank: Bank;
beforeAll(() => {
  bank = openBank();
});
afterAll(() => bank.close());

const mailTo = ({ id }: Person, subject: string): Promise<Mail> =>
  mailboxOf(`${id}@bank.test`).about(subject);

/** What the feed says of this type, once it says something. */
async function told(person: Person, type: string): Promise<string[]> {
  return (await feedOf(person, 1, `?type=${type}`)).items.map(({ body }) => body);
}

/** Waits until nothing of this person waits to be told, and answers the types of all that they were told. */
async function allTold({ id }: Person): Promise<unknown[]> {
  await until(async () => {
    const waiting = await bank.asOwner(
      `select 1 from events e left join notifications n on n.event_id = e.id left join notification_deliveries d
         on d.notification_id = n.id and d.channel = 'in_app' where e.user_id = $1 and (e.waiting or d.status = 'queued')`,
      [id],
    );
    return waiting.length === 0;
  });
  const events = await bank.asOwner('select type from events where user_id = $1 order by id', [id]);
  return events.map(({ type }) => type);
}

test('a payment to somebody else is told to both, once, each from their own side', async () => {
  const { customer, from } = await payerWith(bank, '100.00');
  const friend = await bank.customer();
  const to = await bank.account(friend);
  await bank.transfer(customer, { from: from.id, to: to.id, amount: '12.34' });
  expect(await told(customer, 'payment_sent')).toEqual([
    `€12.34 went to Test P. from your account ending in ${from.number.slice(-4)}.`,
  ]);
  expect(await told(friend, 'payment_received')).toEqual([
    `€12.34 came from Test P. to your account ending in ${to.number.slice(-4)}.`,
  ]);
  expect((await mailTo(customer, 'Payment sent')).text).toContain('tell us at once');
  await mailTo(friend, 'Payment received');
  expect(await allTold(customer)).toEqual(['payment_received', 'payment_sent']);
  expect(await allTold(friend)).toEqual(['payment_received']);
});

test('a payment between one’s own accounts is told once, and one that is refused to nobody', async () => {
  const { customer, from, to } = await payerWith(bank, '100.00');
  await bank.transfer(customer, { from: from.id, to: to.id, amount: '1.00' });
  await bank.transfer(customer, { from: from.id, to: to.id, amount: '100.00' });
  expect(await allTold(customer)).toEqual(['payment_received', 'payment_sent']);
});

test('a payment that waits for an approval and one that a flag holds are told in the same words', async () => {
  const bodies = [];
  for (const isFlagged of [false, true]) {
    const { customer, from, to } = await payerWith(bank, '20000.00');
    if (isFlagged)
      await bank.asOwner(`select account_flag($1, null, 'many small credits', false)`, [from.id]);
    const amount = isFlagged ? '15.00' : '15000.00';
    await bank.transfer(customer, { from: from.id, to: to.id, amount });
    const [body = ''] = await told(customer, 'payment_waiting');
    const { text } = await mailTo(customer, 'Payment accepted');
    bodies.push(
      [body, text].map((said) => said.replace(/€[\d,.]+/, '€').replaceAll(from.number.slice(-4), '')),
    );
  }
  expect(bodies[0]).toEqual(bodies[1]);
});

test('a payment that is rejected is told, and one that the customer cancels is not', async () => {
  const { customer, from, to } = await payerWith(bank, '50000.00');
  const reviewer = await bank.admin('transfers:review');
  const wait = async () =>
    (await bank.transfer(customer, { from: from.id, to: to.id, amount: '15000.00' })).as(TransferAnswer).id;
  const [rejected, cancelled] = [await wait(), await wait()];
  await patiently(() => decideAs(reviewer, rejected, 'reject', { reason: 'unclear' }));
  expect(await told(customer, 'payment_failed')).toHaveLength(1);
  await mailTo(customer, 'Payment not carried out');
  await patiently(async () =>
    customer.client.call('POST', `/v1/transfers/${cancelled}/cancel`, {
      ...{ token: customer.token, key: newKey(), stepUp: await customer.stepUp('cancelTransfer') },
    }),
  );
  expect((await allTold(customer)).filter((type) => type === 'payment_failed')).toHaveLength(1);
});

test('a payment that comes back from the rail was sent, and is returned', async () => {
  const { customer, from } = await payerWith(bank, '500.00');
  const type = await transferType(bank, { reach: 'sepa' });
  const description = 'sandbox: return AC04';
  await pay(customer, { type, from: from.id, to: FRENCH, amount: '120.00', description });
  const [sent] = await told(customer, 'payment_sent');
  expect(sent).toContain('€120.00 went to Hélène Müller');
  await told(customer, 'payment_returned');
  await mailTo(customer, 'Payment returned');
  expect(await allTold(customer)).toEqual(['payment_received', 'payment_sent', 'payment_returned']);
});

test('a payment that is reversed is told to both sides', async () => {
  const { customer, from } = await payerWith(bank, '100.00');
  const friend = await bank.customer();
  const to = await bank.account(friend);
  const { id } = (await bank.transfer(customer, { from: from.id, to: to.id, amount: '5.00' })).as(
    TransferAnswer,
  );
  const [asks, executes] = [await bank.admin('transfers:reverse'), await bank.admin('transfers:review')];
  const asked = (await decideAs(asks, id, 'reverse', { reason: 'a mistake' })).as(TransferAnswer);
  await patiently(() => decideAs(executes, asked.id, 'execute'));
  expect(await told(customer, 'payment_returned')).toHaveLength(1);
  expect(await told(friend, 'payment_returned')).toHaveLength(1);
});

test('a ticket that support closes and a request for an account are told', async () => {
  const [customer, desk] = [await bank.customer(), openDesk()];
  const { ticketId } = await desk.open(customer);
  const { number } = (await bank.asOwner('select number from tickets where id = $1', [ticketId]))[0] ?? {};
  const support = await supporter(bank);
  await patiently(() => desk.post(support, `/v1/admin/tickets/${ticketId}/close`, {}));
  await told(customer, 'ticket_closed');
  await mailTo(customer, `Ticket ${String(number)} is closed`);
  const [type] = await bank.asOwner(`select id from account_types where code = 'business_eur'`);
  const body = { account_type_id: type?.['id'] };
  await customer.client.call('POST', '/v1/account-requests', { token: customer.token, key: newKey(), body });
  expect((await told(customer, 'account_request'))[0]).toContain('We have received your request');
  expect((await lookAtFeed(customer)).items).toHaveLength(2);
});
