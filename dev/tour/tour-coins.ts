/** The part of the tour about coins: a deposit that the chain confirms block by block, an order at a price that binds, and the proof that the coins are there. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { call } from '../client/http.ts';
import { chapter, say } from './say.ts';
import type { Payer } from './tour-payments.ts';

const Any = z.looseObject({});
const Assets = z.looseObject({
  items: z
    .array(
      z.looseObject({
        networks: z
          .array(z.looseObject({ wallet: z.looseObject({ address: z.string().nullable() }) }))
          .min(1),
      }),
    )
    .min(1),
});
const Deposits = z.looseObject({
  items: z.array(
    z.looseObject({
      ...{ id: z.uuid(), status: z.string(), confirmations: z.int(), required_confirmations: z.int() },
      amount: z.looseObject({ amount: z.string(), asset: z.string() }),
    }),
  ),
});
const Portfolio = z.looseObject({
  assets: z.array(
    z.looseObject({
      converted: z
        .looseObject({ amount: z.object({ amount: z.string(), currency: z.string() }), rate: z.string() })
        .nullable(),
    }),
  ),
});
const Reserves = z.looseObject({
  items: z.array(
    z.looseObject({
      ...{ asset: z.string(), customers: z.string(), custodian: z.string(), difference: z.string() },
      shortfall: z.string(),
      counted_at: z.coerce.date<string>(),
    }),
  ),
});
const Amount = z.looseObject({ amount: z.string() });
const Quote = z.looseObject({
  ...{ id: z.uuid(), receive: Amount, spread: Amount, mid_price: z.string() },
});
const Order = z.looseObject({ id: z.uuid(), status: z.string(), receive: Amount });
type Deposit = z.output<typeof Deposits>['items'][number];

const TRIES = 100;
const PAUSE_MS = 200;

/** Receives bitcoin from the sandbox custodian's chain. */
export async function receiveCoins(
  { client, token }: Pick<Payer, 'client' | 'token'>,
  ui: string,
): Promise<void> {
  chapter('13. Bitcoin arrives, and is credited once the chain has confirmed it');
  const address = await soon('the custodian has opened no wallet', async () => {
    const { items } = await call(client, 'GET', '/v1/crypto/assets?asset=BTC', Assets, { token });
    return items[0]?.networks[0]?.wallet.address ?? undefined;
  });
  say(`  Tara's address: ${address}`);
  const wish = { address, asset: 'BTC_TEST', amount: '0.015' };
  await call(client, 'POST', '/v1/sandbox/custodian/deposits', Any, { body: wish });
  const find = async (status?: string): Promise<Deposit | undefined> => {
    const { items } = await call(client, 'GET', '/v1/crypto/deposits', Deposits, { token });
    return items.find((deposit) => status === undefined || deposit.status === status);
  };
  const seen = await soon('the bank has not seen the deposit', () => find());
  say(`  somebody sends her ${coins(seen)}: ${seen.status}, ${confirmations(seen)}`);
  const blocks = { network: 'bitcoin', count: seen.required_confirmations };
  await call(client, 'POST', '/v1/sandbox/custodian/blocks', Any, { body: blocks });
  const credited = await soon('the deposit was not credited', () => find('credited'));
  say(`  ${coins(credited)} ${credited.status} after ${confirmations(credited)}`);
  say(`  process: ${ui}/namespaces/default/workflows/crypto-deposit%2F${credited.id}`);
  const worth = await soon('the coin has no price', async () => {
    const { assets } = await call(client, 'GET', '/v1/crypto/portfolio', Portfolio, { token });
    return assets[0]?.converted ?? undefined;
  });
  say(
    `  worth ${worth.amount.amount} ${worth.amount.currency} at ${worth.rate}, the median of the exchanges`,
  );
}

/** Buys bitcoin by a quote, and proves that the custodian holds what customers and the bank have. */
export async function buyCoins({ client, token, account }: Payer, admin: string, ui: string): Promise<void> {
  chapter('14. Bitcoin is bought at a price that binds');
  const spend = { amount: '100.00', currency: 'EUR' };
  const wish = { side: 'buy', asset: 'BTC', account_id: account, spend };
  const quote = await call(client, 'POST', '/v1/crypto/quotes', Quote, { token, body: wish });
  say(
    `  100.00 EUR would buy ${quote.receive.amount} BTC at ${quote.mid_price}, and the bank would keep ${quote.spread.amount} BTC`,
  );
  const order = await call(client, 'POST', '/v1/crypto/orders', Order, {
    ...{ token, key: true, body: { quote_id: quote.id } },
  });
  const filled = await soon('the order was not filled', async () => {
    const path = `/v1/crypto/orders/${order.id}`;
    const found = await call(client, 'GET', path, Order, { token });
    return found.status === 'filled' ? found : undefined;
  });
  say(`  the order is ${filled.status}: ${filled.receive.amount} BTC are in her account`);
  say(`  process: ${ui}/namespaces/default/workflows/crypto-order%2F${order.id}`);
  const since = Date.now();
  const proof = await soon('the reserves were not counted', async () => {
    const path = '/v1/admin/crypto/reserves';
    const { items } = await call(client, 'GET', path, Reserves, { token: admin });
    return items.find(({ asset, counted_at: at }) => asset === 'BTC' && at.getTime() > since);
  });
  say(
    `  proof of reserves: customers own ${proof.customers} BTC, the custodian holds ${proof.custodian}, and the books explain all but ${proof.difference}`,
  );
  say(`  what the bank has sold and not bought yet: ${proof.shortfall} BTC`);
}

const coins = ({ amount: { amount, asset } }: Deposit): string => `${amount} ${asset}`;
const confirmations = ({ confirmations: there, required_confirmations: needed }: Deposit): string =>
  `${String(there)} of ${String(needed)} blocks`;

async function soon<Found>(failure: string, find: () => Promise<Found | undefined>): Promise<Found> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const found = await find();
    if (found !== undefined) return found;
    await sleep(PAUSE_MS);
  }
  throw new Error(failure);
}
