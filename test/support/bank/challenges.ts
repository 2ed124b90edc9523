/** 3-D Secure for tests of the API: what the network asks, and what holders are asked. */
import { z } from 'zod';
import { call, euro } from './accounts.ts';
import type { Bank, Person } from './bank.ts';
import { newWallet, sendTo, shop, type Wallet } from './card-network.ts';
import { newKey, type Answered } from '../client.ts';

export const AuthenticationAnswer = z.looseObject({
  id: z.uuid(),
  status: z.string(),
  reason: z.string().nullable(),
  proof: z.string().nullable(),
});
export type AuthenticationAnswer = z.output<typeof AuthenticationAnswer>;

/** What the holder confirms of a payment of 50.00. */
export const CONFIRMATION = { amount: euro('50.00'), merchant: shop.name };

/** A request of the network about a card: 50.00 EUR at the corner shop, unless it says otherwise. */
export const authenticationOf = ({ pan, card }: Wallet, more: object = {}): Record<string, unknown> => ({
  ...{ authentication_id: newKey(), pan, expiry: card.expiry, merchant: shop, billing: euro('50.00') },
  ...more,
});

/** Sends it, signed. */
export const askDoor = (body: object): Promise<Answered> => sendTo('/v1/cards/network/authentications', body);

/** Asks who pays with a card. */
export const authenticate = async (wallet: Wallet, more: object = {}): Promise<AuthenticationAnswer> =>
  (await askDoor(authenticationOf(wallet, more))).as(AuthenticationAnswer);

/** A card whose holder has to prove who they are for more than 30.00 online. */
export function onlineWallet(bank: Bank, wish: { holder?: Person } = {}): Promise<Wallet> {
  return newWallet(bank, { sca: { mode: 'count', count: 5 } }, wish);
}

/** What a holder is asked, and how the network asks for it again. */
export interface Challenged {
  readonly wallet: Wallet;
  readonly id: string;
  now(): Promise<AuthenticationAnswer>;
}

/** A payment of 50.00 that the holder is asked to confirm. */
export async function newChallenge(bank: Bank, card?: Wallet): Promise<Challenged> {
  const wallet = card ?? (await onlineWallet(bank));
  const body = authenticationOf(wallet);
  const now = async () => (await askDoor(body)).as(AuthenticationAnswer);
  return { wallet, id: (await now()).id, now };
}

/** The holder approves it; with a step-up for that, unless another token is given. */
export async function approve(
  { holder }: Pick<Wallet, 'holder'>,
  id: string,
  body: object = CONFIRMATION,
  token?: string,
): Promise<Answered> {
  const stepUp = token ?? (await holder.stepUp('approveCardChallenge', body));
  return call(holder, 'POST', `/v1/card-challenges/${id}/approve`, body, { stepUp });
}

/** The holder declines it. */
export const decline = (
  { holder }: Pick<Wallet, 'holder'>,
  id: string,
  body: object = {},
): Promise<Answered> => call(holder, 'POST', `/v1/card-challenges/${id}/decline`, body);
