/** Accounts over HTTP: types of a test's own, opened and closed. */
import { expect } from '@jest/globals';
import { z } from 'zod';
import type { Bank, Person } from './bank.ts';
import { newKey, type Answered, type CallOptions, type Method } from '../client.ts';
import { approvedCall } from './second-person.ts';

const Typed = z.looseObject({ id: z.uuid(), code: z.string() });
/** A page of anything. */
export const Listed = z.looseObject({
  items: z.array(z.looseObject({ id: z.uuid() })),
  next_cursor: z.string().nullable(),
});

export const euro = (amount: string) => ({ amount, currency: 'EUR' });

/** Calls as somebody, with a fresh key where it is a POST. */
export function call(
  person: Person | undefined,
  method: Method,
  path: string,
  body?: object,
  more: object = {},
): Promise<Answered> {
  if (person === undefined) throw new Error('nobody calls');
  const key = method === 'POST' ? { key: newKey() } : {};
  return person.client.call(method, path, {
    token: person.token,
    ...key,
    ...(body === undefined ? {} : { body }),
    ...more,
  });
}

/** Calls as the office; a second administrator approves what waits for one. */
export const approved = (
  bank: Bank,
  office: Person,
  method: Method,
  path: string,
  body: object,
  more: CallOptions = {},
): Promise<Answered> =>
  approvedCall(bank, office, method, path, {
    body,
    ...(method === 'POST' ? { key: newKey() } : {}),
    ...more,
  });

/** A type of account; `office` may configure them. */
export async function newType(
  bank: Bank,
  office: Person,
  terms: object = {},
): Promise<z.output<typeof Typed>> {
  const code = `t${newKey().replaceAll('-', '')}`;
  const body = { code, name: 'Type of a test', currency: 'EUR', openable_by: 'customer', ...terms };
  const answer = await approved(bank, office, 'POST', '/v1/admin/account-types', body);
  expect(answer).toMatchObject({ status: 201 });
  return answer.as(Typed);
}

export async function openAccount(person: Person, typeId: string): Promise<Answered> {
  const stepUp = await person.stepUp('openAccount');
  return call(person, 'POST', '/v1/accounts', { account_type_id: typeId }, { stepUp });
}

export async function closeAccount(person: Person, id: string): Promise<Answered> {
  const stepUp = await person.stepUp('closeAccount');
  return call(person, 'POST', `/v1/accounts/${id}/close`, undefined, { stepUp });
}
