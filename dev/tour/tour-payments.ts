/** The part of the tour where money leaves: in another currency at a quoted price, and out of the bank over the sandbox rail. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { changeBetween } from '../client/changes.ts';
import { call, type Ask, type Client } from '../client/http.ts';
import type { Proof } from '../client/second-factor.ts';
import { chapter, say } from './say.ts';

const PATIENCE_MS = 30_000;
const Money = z.object({ amount: z.string(), currency: z.string() });
const Account = z.looseObject({ id: z.string() });
const Quote = z.looseObject({
  id: z.string(),
  total_debit: Money,
  target_amount: Money,
  exchange: z.looseObject({ rate: z.string(), mid_rate: z.string(), spread: Money }).nullable(),
});
const Transfer = z.looseObject({
  id: z.string(),
  status: z.string(),
  due_at: z.string().nullable(),
  target_amount: Money,
});
const Types = z.looseObject({ items: z.array(z.looseObject({ id: z.string(), code: z.string() })) });

export interface Payer {
  readonly client: Client;
  readonly token: string;
  readonly account: string;
  readonly proof: Proof;
}

/**
 * An administrator sets a rate, which another one approves if it is far from the last; a quote freezes it, and what it says is what is
 * booked.
 */
export async function payInDollars(
  { client, token, account, proof }: Payer,
  admins: readonly [maker: string, checker: string],
): Promise<void> {
  chapter('8. Euro into dollars, at a quoted price');
  const rate = { rate: '1.0825', spread_bps: '25' };
  await changeBetween(client, admins, 'PUT', '/v1/admin/fx-rates/EUR/USD', rate);
  const types = await call(client, 'GET', '/v1/account-types', Types, { token });
  const type = types.items.find(({ code }) => code === 'current_usd')?.id;
  const dollars = await call(client, 'POST', '/v1/accounts', Account, {
    token,
    stepUp: await proof('openAccount'),
    key: true,
    body: { account_type_id: type, nickname: 'Dollars' },
  });
  const body = {
    source_account_id: account,
    destination: { account_id: dollars.id },
    target_amount: { amount: '100.00', currency: 'USD' },
  };
  const quote = await call(client, 'POST', '/v1/transfers/quote', Quote, { token, key: true, body });
  say(
    `  ${quote.total_debit.amount} € for ${quote.target_amount.amount} $ at ${quote.exchange?.rate ?? ''}; of it the bank keeps ${quote.exchange?.spread.amount ?? ''} $`,
  );
  const order = { ...body, quote_id: quote.id };
  const ask: Ask = { token, stepUp: await proof('createTransfer', order), key: true, body: order };
  const done = await call(client, 'POST', '/v1/transfers', Transfer, ask);
  say(`  ${done.status}: ${done.target_amount.amount} $ arrived`);
}

/** To somebody at another bank: given to the rail at once, or on the next business day. */
export async function payOutside({ client, token, account, proof }: Payer, ui: string): Promise<void> {
  chapter('9. A SEPA credit transfer leaves the bank');
  const body = {
    source_account_id: account,
    destination: { iban: 'FR1420041010050500013M02606', name: 'Hélène Müller' },
    amount: { amount: '42.00', currency: 'EUR' },
    description: 'Invoice 7',
  };
  const paid = await call(client, 'POST', '/v1/transfers', Transfer, {
    ...{ token, stepUp: await proof('createTransfer', body), key: true, body },
  });
  say(`  ${paid.status}: ${ui}/namespaces/default/workflows/transfer%2F${paid.id}`);
  if (paid.status === 'queued')
    return say(`  the rail opens at ${paid.due_at ?? ''}; the money is held until then`);
  const end = Date.now() + PATIENCE_MS;
  let status = paid.status;
  while (status === 'submitted' && Date.now() < end) {
    await sleep(2_000);
    ({ status } = await call(client, 'GET', `/v1/transfers/${paid.id}`, Transfer, { token }));
  }
  say(`  the rail has answered: ${status}`);
}
