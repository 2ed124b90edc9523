/** The part of the tour after a wrong charge: its holder disputes it, has the money for now, and the network decides. */
import { z } from 'zod';
import { call } from '../client/http.ts';
import { say } from './say.ts';
import type { Payer } from './tour-payments.ts';

const Dispute = z.looseObject({
  id: z.uuid(),
  status: z.string(),
  credited: z.looseObject({ amount: z.string() }),
});
const Account = z.looseObject({ balance: z.looseObject({ amount: z.string() }) });

/** Disputes a payment, has an administrator accept it, and wins. Throws if the money is not given. */
export async function disputeCharge(
  { client, token, account }: Payer,
  payment: string,
  admin: string,
  ui: string,
): Promise<void> {
  const balance = async (): Promise<string> =>
    (await call(client, 'GET', `/v1/accounts/${account}`, Account, { token })).balance.amount;
  const before = await balance();
  const { id } = await call(client, 'POST', `/v1/card-payments/${payment}/disputes`, Dispute, {
    ...{ token, key: true },
    body: { reason: 'not_received', explanation: 'The parcel never came' },
  });
  say(`  its holder disputes it; its deadlines: ${ui}/namespaces/default/workflows/card-dispute%2F${id}`);
  await call(client, 'POST', `/v1/admin/card-disputes/${id}/decide`, Dispute, {
    ...{ token: admin, key: true, body: { decision: 'accept', reason: 'No proof of delivery' } },
  });
  const path = `/v1/card-disputes/${id}`;
  const { status, credited } = await call(client, 'GET', path, Dispute, { token });
  say(`  accepted: ${status}, and ${credited.amount} € are back for now: ${before} € → ${await balance()} €`);
  if (credited.amount !== '12.34') throw new Error(`${credited.amount} € were given back`);
  const outcome = { body: { outcome: 'won' } };
  await call(client, 'POST', `/v1/sandbox/card-network/disputes/${id}`, z.looseObject({}), outcome);
  say(`  the network agrees: ${(await call(client, 'GET', path, Dispute, { token })).status}`);
}
