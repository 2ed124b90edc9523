/** The ways in which customers of the demo move money. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { call, expectRefusal, type Ask } from '../client/http.ts';
import { Anything, money, type Account } from './answers.ts';
import { type Bank, type Member } from './bank.ts';

const Transfer = z.looseObject({ id: z.string(), status: z.string() });
export type Transfer = z.output<typeof Transfer>;

export interface Payment {
  readonly from: Account;
  readonly destination: object;
  /** In the currency of the account it comes from. */
  readonly amount: string;
  readonly description?: string;
  readonly target_currency?: string;
}

/** What a payment is counted as, by the status it is in when the API answers. */
const COUNTED: Readonly<Record<string, string>> = {
  executed: 'payments booked at once',
  pending_approval: 'payments held for an admin',
  submitted: 'payments given to the rail',
  queued: 'payments waiting for the rail to open',
};

/** Pays, at a quoted price if it converts; a status that the service has no reason to answer ends the demo. */
export async function pay({ tally }: Bank, member: Member, payment: Payment): Promise<Transfer> {
  const body = bodyOf(payment);
  const ask = await asking(member, payment.target_currency === undefined ? body : await quoted(member, body));
  const transfer = await call(member.client, 'POST', '/v1/transfers', Transfer, ask);
  const counted = COUNTED[transfer.status];
  if (counted === undefined) throw new Error(`a payment is ${transfer.status}: ${JSON.stringify(transfer)}`);
  tally.add(counted);
  return transfer;
}

/** Pays more than the service lets anybody pay without asking: the answer has to be that it waits. */
export async function payHeld(bank: Bank, member: Member, payment: Payment): Promise<Transfer> {
  const transfer = await pay(bank, member, payment);
  if (transfer.status === 'pending_approval') return transfer;
  throw new Error(`a payment of ${payment.amount} was to wait for an admin, but is ${transfer.status}`);
}

/** Tries a payment that has to be refused with this code, twice with one key: the service remembers its refusal. */
export async function payInVain(
  { tally }: Bank,
  member: Member,
  code: string,
  payment: Payment,
): Promise<void> {
  const ask = await asking(member, bodyOf(payment));
  for (let attempt = 1; attempt <= 2; attempt += 1)
    await expectRefusal(member.client, code, 'POST', '/v1/transfers', ask);
  tally.add(`payments refused: ${code}`);
}

/** Converts at a quoted price. */
export async function convert({ tally }: Bank, member: Member, from: Account, to: Account, amount: string) {
  const description = `${from.currency} → ${to.currency}`;
  const body = bodyOf({ from, destination: { account_id: to.id }, amount, description });
  const ask = await asking(member, await quoted(member, body));
  await call(member.client, 'POST', '/v1/transfers', Transfer, ask);
  tally.add('conversions at a quoted price');
}

/** The same payment, bound to a price: nobody confirms one that converts without knowing what leaves and what arrives. */
async function quoted({ client, token }: Member, body: object): Promise<object> {
  const quote = await call(client, 'POST', '/v1/transfers/quote', Transfer.pick({ id: true }), {
    ...{ token, key: true, body },
  });
  return { ...body, quote_id: quote.id };
}

export interface Plan extends Payment {
  readonly startsOn: string;
  readonly monthly: boolean;
}

/** Plans a payment, once or every month; answers the plan's id. */
export async function plan({ tally }: Bank, member: Member, { startsOn, monthly, ...payment }: Plan) {
  const { client, token } = member;
  const path = '/v1/scheduled-transfers';
  const body = {
    ...bodyOf(payment),
    starts_on: startsOn,
    ...(monthly ? { repeat: { unit: 'month', every: 1 } } : {}),
  };
  const ask: Ask = { token, key: true, body, stepUp: await member.proof('createScheduledTransfer', body) };
  const { id } = await call(client, 'POST', path, Transfer, ask);
  tally.add(monthly ? 'standing orders' : 'scheduled payments');
  return id;
}

/** The customer takes back a plan, or a payment that still waits. */
export async function takeBack(member: Member, kind: 'transfers' | 'scheduled-transfers', id: string) {
  const { client, token } = member;
  const operation = kind === 'transfers' ? 'cancelTransfer' : 'cancelScheduledTransfer';
  const ask: Ask = { token, key: true, stepUp: await member.proof(operation) };
  await call(client, 'POST', `/v1/${kind}/${id}/cancel`, Anything, ask);
}

async function asking({ token, proof }: Member, body: object): Promise<Ask> {
  // one key for all attempts of this call
  return { token, key: randomUUID(), body, stepUp: await proof('createTransfer', body) };
}

function bodyOf({ from, amount, ...rest }: Payment): object {
  return { ...rest, source_account_id: from.id, amount: money(amount, from.currency) };
}
