/** Changes that wait for a second administrator: approved by one who may, so that a test can go on with what they make. */
import { expect } from '@jest/globals';
import { z } from 'zod';
import type { Bank, Person } from './bank.ts';
import { newKey, type Answered, type CallOptions, type Method } from '../client.ts';
import { servedOperations } from '../declared/served.ts';

/** A pending change, as far as tests look at it. */
export const ChangeAnswer = z.looseObject({
  id: z.uuid(),
  operation: z.string(),
  resource: z.string(),
  before: z.record(z.string(), z.unknown()).nullable(),
  after: z.record(z.string(), z.unknown()).nullable(),
  status: z.string(),
  requested_by: z.uuid(),
  expires_at: z.string(),
});
export type ChangeAnswer = z.output<typeof ChangeAnswer>;

/** What an administrator does about a change. */
export function decideOn(
  person: Person,
  { id }: Pick<ChangeAnswer, 'id'>,
  decision: 'approve' | 'reject' | 'withdraw',
  key = newKey(),
): Promise<Answered> {
  const body = { approve: {}, reject: { reason: 'Not like this' }, withdraw: undefined }[decision];
  return person.client.call('POST', `/v1/admin/changes/${id}/${decision}`, {
    ...{ token: person.token, key },
    ...(body === undefined ? {} : { body }),
  });
}

const seconds = new Map<string, Promise<Person>>();

/** Somebody else who may do what a call asks for, so that it does not find its caller alone in the bank. */
export async function secondPerson(bank: Bank, method: Method, path: string): Promise<void> {
  const operation = (await servedOperations()).find(
    (known) =>
      known.method === method && new RegExp(`^${known.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );
  const permission = operation?.permission ?? null;
  if (permission === null) return;
  const known = seconds.get(permission) ?? bank.admin(permission);
  seconds.set(permission, known);
  await known;
}

/** An administrator who may decide on a change and whom nobody has made. */
export async function checkerOf(bank: Bank, { id }: Pick<ChangeAnswer, 'id'>): Promise<Person> {
  const [row] = await bank.asOwner('select permission from pending_changes where id = $1', [id]);
  return bank.admin(String(row?.['permission']));
}

/**
 * Makes a call and, if it waits, lets a second administrator approve it. The answer then is what the call is about, as it is after the
 * change; that of the call or of the approval if one of them is refused.
 */
export async function approvedCall(
  bank: Bank,
  maker: Person,
  method: Method,
  path: string,
  options: CallOptions = {},
): Promise<Answered> {
  await secondPerson(bank, method, path);
  const asked = await maker.client.call(method, path, { token: maker.token, ...options });
  return asked.status === 202 ? approvedChange(bank, asked, path) : asked;
}

/** Approves the change that an answer tells of; answers what it is about, as it is then. */
export async function approvedChange(bank: Bank, asked: Answered, path: string): Promise<Answered> {
  const change = asked.as(ChangeAnswer);
  const checker = await checkerOf(bank, change);
  const done = await decideOn(checker, change, 'approve');
  if (done.status !== 200) return done;
  const [kind = '', ...ids] = change.resource.split('/');
  const place = PLACES[kind]?.(ids, path);
  expect(place).toBeDefined();
  const reader = await bank.admin(
    'accounts:read',
    'account_types:read',
    'transfers:read',
    'fees:read',
    ...MORE,
  );
  const seen = await reader.client.call('GET', `/v1/admin/${place ?? ''}`, { token: reader.token });
  const status = change.before === null && kind !== 'fx_rate' ? 201 : 200;
  const List = z.looseObject({ items: z.array(z.looseObject({})) });
  const body: unknown = kind === 'fx_rate' ? seen.as(List).items[0] : seen.body;
  return { ...seen, status, body, text: JSON.stringify(body), as: (schema) => schema.parse(body) };
}

const MORE = [
  ...[
    'aml:read',
    'fx:read',
    'users:read',
    'permissions:read',
    'cards:read',
    'compliance:read',
    'crypto:read',
  ],
];

/** Where the API shows what a change is about. */
const PLACES: Readonly<Record<string, (ids: readonly string[], path: string) => string>> = {
  account: ([id = '']) => `accounts/${id}`,
  account_type: ([id = '']) => `account-types/${id}`,
  card_payment_system: ([id = '']) => `card-payment-systems/${id}`,
  card_payment: ([id = '']) => `card-payments/${id}`,
  card_product: ([id = '']) => `card-products/${id}`,
  transfer_type: ([code = '']) => `transfer-types/${code}`,
  crypto_asset: ([code = '']) => `crypto/assets/${code}`,
  crypto_deposit: ([id = '']) => `crypto/deposits/${id}`,
  crypto_limits: ([operation = '']) => `crypto/limits/${operation}`,
  crypto_network: ([asset = '', network = '']) => `crypto/networks/${asset}/${network}`,
  customer_risk: ([id = '']) => `users/${id}/risk`,
  aml_rule: ([id = '']) => `aml/rules/${id}`,
  aml_value_list: ([code = '']) => `aml/value-lists/${code}`,
  fee_rule: ([id = '']) => `fee-rules/${id}`,
  fx_rate: ([base = '', quote = '']) => `fx-rates?base=${base}&quote=${quote}&limit=1`,
  user: ([id = ''], path) => `users/${id}${path.endsWith('/permissions') ? '/permissions' : ''}`,
};
