/** Payments in the tests' bank: transfer types of a test's own, so that its limits and windows are nobody else's. */
import { randomBytes } from 'node:crypto';
import {
  executePending,
  TransferAnswer,
  transferBody,
  type AccountAnswer,
  type Bank,
  type Person,
} from './bank.ts';
import { newKey, patiently, type Answered, type CallOptions } from '../client.ts';

/** A customer with money in one account, and another one to send it to. */
export interface Payer {
  readonly customer: Person;
  readonly from: AccountAnswer;
  readonly to: AccountAnswer;
}

/** A customer with this amount. */
export async function payerWith(bank: Bank, amount: string, type?: string): Promise<Payer> {
  const customer = await bank.customer();
  return {
    customer,
    from: await bank.fundedAccount(customer, amount, type),
    to: await bank.account(customer, type),
  };
}

export interface Limit {
  readonly subject?: 'user' | 'account' | 'recipient';
  readonly level?: number;
  /** Minor units; left out is no limit. */
  readonly single?: number;
  readonly day?: number;
  readonly month?: number;
}

export interface TypeWish {
  readonly reach?: 'own' | 'internal' | 'sepa' | 'international';
  readonly assets?: readonly string[];
  /** Minor units above which it waits for an administrator. */
  readonly approvalAbove?: number;
  readonly limits?: readonly Limit[];
  readonly cutOff?: string;
  /** The rail takes nothing for the next 22 hours, whatever the time of day is. */
  readonly closed?: boolean;
}

/** A transfer type of its own; answers its code. */
export async function transferType(bank: Pick<Bank, 'asOwner'>, wish: TypeWish = {}): Promise<string> {
  const code = `t_${randomBytes(6).toString('hex')}`;
  await bank.asOwner(
    `insert into transfer_types (code, name, reach, cut_off, cut_off_zone) values ($1, $1, $2, $3, $4)`,
    [
      ...[code, wish.reach ?? 'internal'],
      ...(wish.closed === true ? ['00:00:00', nightZone()] : [wish.cutOff ?? null, 'Europe/Berlin']),
    ],
  );
  for (const asset of wish.assets ?? ['EUR'])
    await bank.asOwner('insert into transfer_type_currencies values ($1, $2, $3)', [
      code,
      asset,
      wish.approvalAbove ?? 100_000_000,
    ]);
  for (const limit of wish.limits ?? []) await limitType(bank, code, limit);
  return code;
}

/** Where it is between one and two in the night, so that the next midnight is at least 22 hours away. In `Etc/`, east of Greenwich is minus. */
function nightZone(): string {
  const east = ((1 - new Date().getUTCHours() + 36) % 24) - 12;
  return east < 0 ? `Etc/GMT+${String(-east)}` : `Etc/GMT-${String(east)}`;
}

/** Midnight, after which the rail takes payments, is so many seconds away where this type’s clock is. */
export async function windowIn(bank: Pick<Bank, 'asOwner'>, code: string, seconds: number): Promise<void> {
  await bank.asOwner(
    `update transfer_types set cut_off_zone = to_char(
         (now() at time zone 'UTC')::time - ('24:00:00'::interval - make_interval(secs => $2)), '"<here>"HH24:MI:SS')
       where code = $1`,
    [code, seconds],
  );
}

/** Sets a limit of a type in euro. */
export async function limitType(bank: Pick<Bank, 'asOwner'>, code: string, limit: Limit): Promise<void> {
  await bank.asOwner(
    `insert into transfer_limits (type_code, asset, kyc_level, subject, single, day, month) values ($1, 'EUR', $2, $3, $4, $5, $6)`,
    [
      code,
      limit.level ?? 0,
      limit.subject ?? 'user',
      limit.single ?? null,
      limit.day ?? null,
      limit.month ?? null,
    ],
  );
}

/** What a customer asks for; the body of POST /v1/transfers. */
export interface PaymentWish {
  readonly type?: string;
  readonly from: string;
  readonly to: object;
  readonly amount?: string | undefined;
  readonly currency?: string;
  readonly target?: { readonly amount: string; readonly currency: string };
  readonly targetCurrency?: string;
  readonly quoteId?: string;
  readonly description?: string;
  /** Its Idempotency-Key; a fresh one where it is left out. */
  readonly key?: string;
}

function bodyOf(wish: PaymentWish): object {
  return {
    ...(wish.type === undefined ? {} : { type: wish.type }),
    source_account_id: wish.from,
    destination: wish.to,
    ...(wish.amount === undefined
      ? {}
      : { amount: { amount: wish.amount, currency: wish.currency ?? 'EUR' } }),
    ...(wish.target === undefined ? {} : { target_amount: wish.target }),
    ...(wish.targetCurrency === undefined ? {} : { target_currency: wish.targetCurrency }),
    ...(wish.quoteId === undefined ? {} : { quote_id: wish.quoteId }),
    ...(wish.description === undefined ? {} : { description: wish.description }),
  };
}

export async function pay(person: Person, wish: PaymentWish): Promise<Answered> {
  return person.client.call('POST', '/v1/transfers', await payment(person, wish));
}

/** The same for many at once, of whom a busy API sends some away: each comes again with its key. */
export async function payPatiently(person: Person, wish: PaymentWish): Promise<Answered> {
  const order = await payment(person, wish);
  return patiently(() => person.client.call('POST', '/v1/transfers', order));
}

async function payment(person: Person, wish: PaymentWish): Promise<CallOptions> {
  const body = bodyOf(wish);
  return {
    token: person.token,
    stepUp: await person.stepUp('createTransfer', body),
    key: wish.key ?? newKey(),
    body,
  };
}

export function quote(person: Person, wish: PaymentWish): Promise<Answered> {
  const { token } = person;
  const key = wish.key ?? newKey();
  return person.client.call('POST', '/v1/transfers/quote', { token, key, body: bodyOf(wish) });
}

/** What an administrator decides on a transfer. */
export function decideAs(
  admin: Person,
  id: string,
  decision: string,
  body: object = {},
  key = newKey(),
): Promise<Answered> {
  return admin.client.call('POST', `/v1/admin/transfers/${id}/${decision}`, {
    ...{ token: admin.token, key, body },
  });
}

/** A transfer that waited, was approved by an administrator, and is booked; with the ids of the requests that did it. */
export async function approvedTransfer(
  bank: Bank,
  customer: Person,
  beforeDecision: (id: string) => Promise<void> = async () => undefined,
): Promise<{ readonly id: string; readonly ordered: string; readonly decided: string }> {
  const [from, to] = [await bank.fundedAccount(customer, '20000.00'), await bank.account(customer)];
  const [ordered, decided] = [`order-${newKey()}`, `decide-${newKey()}`];
  const body = transferBody({ from: from.id, to: to.id, amount: '12345.67', description: 'for Ada' });
  const answer = await customer.client.call('POST', '/v1/transfers', {
    ...{ token: customer.token, key: newKey(), body, headers: { 'X-Request-Id': ordered } },
    stepUp: await customer.stepUp('createTransfer', body),
  });
  const { id } = answer.as(TransferAnswer);
  await beforeDecision(id);
  const admin = await bank.admin('transfers:review');
  await executePending(admin, id, { 'X-Request-Id': decided });
  return { id, ordered, decided };
}
