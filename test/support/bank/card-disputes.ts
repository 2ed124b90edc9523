/** Disputes of cleared payments, for tests of the API. */
import { z } from 'zod';
import { until } from '../stack/processes.ts';
import { call } from './accounts.ts';
import { newClearedPayment, type PaymentAnswer, type Wallet } from './card-network.ts';
import type { Bank } from './bank.ts';

export const DisputeAnswer = z.looseObject({
  id: z.uuid(),
  status: z.string(),
  credited: z.looseObject({ amount: z.string() }),
  taken_back: z.looseObject({ amount: z.string() }),
});
export type DisputeAnswer = z.output<typeof DisputeAnswer>;

/** What a holder says whose parcel never came. */
export const NOT_RECEIVED = { reason: 'not_received', explanation: 'The parcel never came' };

export interface Disputed {
  readonly wallet: Wallet;
  readonly payment: PaymentAnswer;
  readonly dispute: DisputeAnswer;
  /** The dispute as its holder sees it now. */
  now(): Promise<DisputeAnswer>;
}

/** A payment of 10.00 that was cleared, and its holder's dispute. */
export async function newDispute(bank: Bank, said: object = NOT_RECEIVED): Promise<Disputed> {
  const { wallet, payment } = await newClearedPayment(bank);
  const path = `/v1/card-payments/${payment.id}/disputes`;
  const dispute = (await call(wallet.holder, 'POST', path, said)).as(DisputeAnswer);
  const now = async () =>
    (await call(wallet.holder, 'GET', `/v1/card-disputes/${dispute.id}`)).as(DisputeAnswer);
  return { wallet, payment, dispute, now };
}

/** Lets the bank decide it; answers the dispute as the back office sees it. */
export async function decide(bank: Bank, id: string, decision: 'accept' | 'reject') {
  const admin = await bank.admin('cards:read', 'cards:write');
  const path = `/v1/admin/card-disputes/${id}/decide`;
  return call(admin, 'POST', path, { decision, reason: 'Looked at' });
}

/** A dispute that the bank has accepted and the network has heard of. */
export async function newFiledDispute(bank: Bank): Promise<Disputed> {
  const disputed = await newDispute(bank);
  await decide(bank, disputed.dispute.id, 'accept');
  await until(async () => {
    const [row] = await bank.asOwner('select claimed from card_disputes where id = $1', [
      disputed.dispute.id,
    ]);
    return row?.['claimed'] !== null;
  });
  return disputed;
}
