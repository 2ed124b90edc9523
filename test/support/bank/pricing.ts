/** Fees and rates in the tests' bank: account types in currencies of a test's own, so that its rules and rates price nobody else. */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Bank, Person } from './bank.ts';
import { newKey, type Answered, type CallOptions, type Method } from '../client.ts';
import { until } from '../stack/processes.ts';
import { approvedCall } from './second-person.ts';

export const RuleAnswer = z.looseObject({
  id: z.uuid(),
  version: z.int(),
  version_in_force: z.int().nullable(),
  valid_from: z.string(),
});

/** A fee rule with its first version; what is left out costs nothing. */
export interface RuleWish {
  readonly purpose: string;
  readonly description?: string;
  /** EUR where it is left out. */
  readonly asset?: string;
  readonly transferType?: string;
  readonly flat?: number;
  readonly rateBps?: number;
  /** Now where it is left out. */
  readonly since?: string;
}

/** Puts a fee rule into a bank, as if administrators had set it; answers its id. */
export async function insertFeeRule(bank: Pick<Bank, 'asOwner'>, wish: RuleWish): Promise<string> {
  const {
    purpose,
    description = 'Fee of a test',
    asset = 'EUR',
    transferType = null,
    flat = 0,
    rateBps = 0,
    since = null,
  } = wish;
  const [rule] = await bank.asOwner(
    `insert into fee_rules (id, code, purpose, asset) values (uuidv7(), 'of_a_test', $1, $2) returning id::text`,
    [purpose, asset],
  );
  await bank.asOwner(
    `insert into fee_rule_versions (rule_id, version, purpose, asset, description, enabled, transfer_type, priority, flat, rate_bps, tier_mode,
       valid_from, created_at)
     select $1, 1, $2, $3, $4, true, $5, 0, $6, $7, 'graduated', since, since from (select coalesce($8, now()) as since) x`,
    [rule?.['id'], purpose, asset, description, transferType, flat, rateBps, since],
  );
  return String(rule?.['id']);
}

/** An account type that customers may open; answers its code. */
export async function accountType(bank: Bank, currency: string): Promise<{ id: string; code: string }> {
  const code = `a_${randomBytes(6).toString('hex')}`;
  const [type] = await bank.asOwner(
    `insert into account_types (code, name, asset, openable_by) values ($1, 'Of a test', $2, 'customer') returning id`,
    [code, currency],
  );
  return { id: String(type?.['id']), code };
}

/**
 * Currencies that nothing else uses, one for each number of digits, in the order of the alphabet. They are known to the API of `office`
 * when this returns.
 */
export async function newCurrencies<Digits extends readonly number[]>(
  bank: Bank,
  office: Treasury,
  ...digits: Digits
): Promise<{ [Place in keyof Digits]: string }> {
  const codes = digits.map(() => `X${randomBytes(4).toString('hex').toUpperCase()}`).toSorted();
  for (const [place, code] of codes.entries())
    await bank.asOwner(`insert into assets (code, scale, kind) values ($1, $2, 'fiat')`, [
      code,
      digits[place],
    ]);
  // a rate of a currency in itself is refused in another way than one of a currency that is not known
  for (const code of codes)
    await until(async () => (await office.setRate(`${code}/${code}`, { rate: '1' })).status === 400);
  return codes as { [Place in keyof Digits]: string };
}

/** What the back office does about prices, by somebody who may do all of it; a second person approves what waits for one. */
export interface Treasury {
  readonly person: Person;
  addRule(rule: object): Promise<Answered>;
  changeRule(id: string, change: object, ifMatch?: string): Promise<Answered>;
  setRate(pair: string, rate: object): Promise<Answered>;
  configure(type: string, change: object): Promise<Answered>;
  read(path: string, query?: Readonly<Record<string, string>>): Promise<Answered>;
}

export async function treasury(bank: Bank): Promise<Treasury> {
  const person = await bank.admin(
    'fees:read',
    'fees:write',
    'fx:read',
    'fx:write',
    'transfers:read',
    'transfers:configure',
  );
  const { client, token } = person;
  const call = (method: Method, path: string, options: CallOptions) =>
    approvedCall(bank, person, method, `/v1/admin/${path}`, options);
  return {
    person,
    addRule: (body) => call('POST', 'fee-rules', { key: newKey(), body }),
    changeRule: (id, body, ifMatch) =>
      call('PATCH', `fee-rules/${id}`, {
        body,
        ...(ifMatch === undefined ? {} : { headers: { 'If-Match': ifMatch } }),
      }),
    setRate: (pair, body) => call('PUT', `fx-rates/${pair}`, { body }),
    configure: (type, body) => call('PATCH', `transfer-types/${type}`, { body }),
    read: (path, query) => client.call('GET', path, { token, ...(query === undefined ? {} : { query }) }),
  };
}

/** So many seconds from now, as the wire writes it. */
export function inSeconds(seconds: number): string {
  return new Date(Date.now() + seconds * 1_000).toISOString();
}

/** The first fault of a refused request. */
export function faultOf(answer: Answered): {
  status: number;
  pointer: string | undefined;
  code: string | undefined;
} {
  const Faults = z.looseObject({
    errors: z.array(z.looseObject({ pointer: z.string(), code: z.string() })).optional(),
  });
  const [first] = answer.as(Faults).errors ?? [];
  return { status: answer.status, pointer: first?.pointer, code: first?.code };
}
