/** The two administrators: one asks, the other decides, because nobody approves what they have asked for. */
import { z } from 'zod';
import { changeBetween } from '../client/changes.ts';
import { call, type Ask, type Client } from '../client/http.ts';
import { logIn, type Credentials } from '../client/second-factor.ts';
import { RATES, SPREAD_BPS } from '../seed/demo-rates.ts';
import { Made, money, type Account } from './answers.ts';

/** Rights that an administrator of the demo needs. */
export const STAFF_PERMISSIONS = [
  ...['accounts:read', 'accounts:review', 'accounts:write', 'adjustments:write', 'aml:review'],
  ...['fx:read', 'fx:write', 'tickets:read', 'tickets:write'],
  ...['transfers:read', 'transfers:reverse', 'transfers:review', 'users:read'],
];

export interface Admin {
  readonly client: Client;
  readonly token: string;
}

export interface Staff {
  readonly maker: Admin;
  readonly checker: Admin;
}

const Decided = z.looseObject({ status: z.string() });
const Rates = z.looseObject({ items: z.array(z.looseObject({ quote: z.string() })) });
const Count = z.looseObject({ count: z.number() });

/** Logs both in. */
export async function startShift(
  client: Client,
  [maker, checker]: readonly [Credentials, Credentials],
): Promise<Staff> {
  const [first, second] = await Promise.all([logIn(client, maker), logIn(client, checker)]);
  return { maker: { client, token: first }, checker: { client, token: second } };
}

/** Posts as an administrator, with an idempotency key. */
export function post<S extends z.ZodType>(
  { client, token }: Admin,
  path: string,
  schema: S,
  body: object,
): Promise<z.output<S>> {
  const ask: Ask = { token, key: true, body };
  return call(client, 'POST', `/v1/admin${path}`, schema, ask);
}

/** Pays money in: one administrator asks for the adjustment, the other executes it. Answers the adjustment's id. */
export async function payIn(
  staff: Staff,
  account: Account,
  amount: string,
  description: string,
): Promise<string> {
  const { id } = await post(staff.maker, '/adjustments', Made, {
    ...{ account_id: account.id, direction: 'credit', amount: money(amount, account.currency), description },
    reason: `Receipt checked: ${description}`,
  });
  await decide(staff, id, 'execute', 'Receipt seen');
  return id;
}

/** The second administrator executes or rejects what waits for approval. */
export async function decide(
  { checker }: Staff,
  id: string,
  decision: 'execute' | 'reject',
  reason: string,
): Promise<void> {
  const { status } = await post(checker, `/transfers/${id}/${decision}`, Decided, { reason });
  const wanted = decision === 'execute' ? 'executed' : 'rejected';
  if (status !== wanted) throw new Error(`transfer ${id} was to be ${wanted}, but is ${status}`);
}

/** Sets the rates that are missing or stale; what somebody has set stays. The second administrator approves those that wait. */
export async function setMissingRates({ maker: { client, token }, checker }: Staff): Promise<void> {
  const path = '/v1/admin/fx-rates';
  const current = await call(client, 'GET', `${path}?base=EUR&status=current&limit=100`, Rates, { token });
  const known = new Set(current.items.map(({ quote }) => quote));
  for (const [quote, rate] of Object.entries(RATES).filter(([currency]) => !known.has(currency))) {
    const body = { rate, spread_bps: SPREAD_BPS, source: 'demo' };
    await changeBetween(client, [token, checker.token], 'PUT', `${path}/EUR/${quote}`, body);
  }
}

/** Whether somebody with this address is a customer already. */
export async function isKnown({ maker: { client, token } }: Staff, email: string): Promise<boolean> {
  const query = new URLSearchParams({ search: email }).toString();
  return (await call(client, 'GET', `/v1/admin/users/count?${query}`, Count, { token })).count > 0;
}
