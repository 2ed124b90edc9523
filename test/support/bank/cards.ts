/** Cards over HTTP: payment systems, products and cards of a test's own. */
import { expect } from '@jest/globals';
import { randomInt } from 'node:crypto';
import { z } from 'zod';
import type { Bank, Person } from './bank.ts';
import { newKey, type Answered } from '../client.ts';
import { approved, call, euro } from './accounts.ts';

const Made = z.looseObject({ id: z.uuid(), code: z.string(), version: z.int() });
export type CardThing = z.output<typeof Made>;

export interface CardPlan {
  readonly systemId: string;
  readonly productId: string;
}

const newCode = (): string => `c${newKey().replaceAll('-', '')}`;

/** Numbers of sixteen digits that no other test has, so many of them. */
export function newRange(size = 1_000): { first: string; last: string } {
  const first = 900_000_000_000_000 + randomInt(90_000_000_000) * 1_000;
  return { first: String(first), last: String(first + size - 1) };
}

/** A payment system with one range of numbers; `office` holds cards:write. */
export async function newPaymentSystem(office: Person, terms: object = {}): Promise<CardThing> {
  const body = { code: newCode(), name: 'Scheme of a test', pan_length: 16, iin_ranges: [newRange()] };
  const answer = await call(office, 'POST', '/v1/admin/card-payment-systems', { ...body, ...terms });
  expect(answer).toMatchObject({ status: 201 });
  return answer.as(Made);
}

/** What a new product says; others in the place of these by `terms`. */
export function productTerms(systemId: string, terms: object = {}): object {
  return {
    code: newCode(),
    name: 'Card of a test',
    kind: 'virtual',
    payment_system_id: systemId,
    currency: 'EUR',
    ...terms,
  };
}

/** A product that a second administrator has approved; `office` holds cards:write. */
export async function newProduct(
  bank: Bank,
  office: Person,
  systemId: string,
  terms: object = {},
): Promise<CardThing> {
  const path = '/v1/admin/card-products';
  const answer = await approved(bank, office, 'POST', path, productTerms(systemId, terms));
  expect(answer).toMatchObject({ status: 201 });
  return answer.as(Made);
}

/** A payment system with a product that has a daily limit, made by administrators of their own. */
export async function cardPlan(bank: Bank, terms: object = {}): Promise<CardPlan> {
  const office = await bank.admin('cards:write');
  const { id: systemId } = await newPaymentSystem(office);
  const limits = [{ period: 'day', amount: euro('500.00') }];
  const { id: productId } = await newProduct(bank, office, systemId, { limits, ...terms });
  return { systemId, productId };
}

/** A card as its holder sees it. */
export const CardAnswer = z.looseObject({
  id: z.uuid(),
  account_id: z.uuid(),
  status: z.string(),
  last_four: z.string(),
  expiry: z.string(),
});
export type CardAnswer = z.output<typeof CardAnswer>;

/** Where a card of a test is sent. */
export const shipping = { line1: 'Main Street 1', postal_code: '10115', city: 'Berlin', country: 'DE' };

/** Asks for a card on an account of the holder's. */
export async function askForCard(
  holder: Person,
  accountId: string,
  productId: string,
  terms: object = {},
): Promise<Answered> {
  const stepUp = await holder.stepUp('issueCard');
  const body = { card_product_id: productId, ...terms };
  return call(holder, 'POST', `/v1/accounts/${accountId}/cards`, body, { stepUp });
}

/** A card on a new account. */
export async function newCard(
  bank: Bank,
  holder: Person,
  productId: string,
  terms: object = {},
): Promise<CardAnswer> {
  const { id } = await bank.account(holder);
  const answer = await askForCard(holder, id, productId, terms);
  expect(answer).toMatchObject({ status: 201 });
  return answer.as(CardAnswer);
}

/** The whole number, which only its holder sees. */
export async function numberOf(holder: Person, { id }: Pick<CardAnswer, 'id'>): Promise<string> {
  const answer = await call(holder, 'GET', `/v1/cards/${id}/number`);
  return answer.as(z.object({ number: z.string() })).number;
}

/** The verification value of a card. */
export async function cvvOf(holder: Person, { id }: Pick<CardAnswer, 'id'>): Promise<Answered> {
  const stepUp = await holder.stepUp('revealCardCvv');
  return call(holder, 'GET', `/v1/cards/${id}/cvv`, undefined, { stepUp });
}
