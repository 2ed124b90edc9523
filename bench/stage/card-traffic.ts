/** Cards for benchmarks, and the network that asks for their payments over HTTP. */
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { networkKeys } from '../../adapters/card-network.ts';
import { createCardVault, type CardVault } from '../../adapters/card-vault.ts';
import type { Config } from '../../config.ts';
import { postSigned } from '../../dev/cards/door.ts';
import { MERCHANT } from '../../dev/cards/messages.ts';
import { withCheckDigit } from '../../domain/cards/cards.ts';

const FIRST = 900_000_000_000_000n;

export interface BenchCard {
  readonly pan: string;
  readonly account: string;
}

/** So many cards of as many customers, each with money, a limit and a control. */
export async function makeCards(
  owner: pg.Client,
  keys: readonly string[],
  count: number,
): Promise<BenchCard[]> {
  const vault = createCardVault(keys);
  const limits = [{ period: 'day', scope: 'all', amount: '900000000', count: null }];
  const controls = [{ type: 'country', mode: 'block', values: ['KP'] }];
  // nobody is told of them
  await owner.query('alter table cards disable trigger cards_told_when_issued');
  const made = await owner.query<{ id: string; account: string }>(
    `with system as (
       insert into card_payment_systems (code, name, pan_length) values ('bench', 'Bench', 16) returning id
     ), product as (
       insert into card_products (code, payment_system_id, kind, asset) select 'bench', id, 'virtual', 'EUR' from system returning id
     ), said as (
       insert into card_product_versions (product_id, version, name, enabled, account_type_ids, validity_months, hold_rules,
           controls, limits, sca, pin_tries, stand_in_limit)
         select id, 1, 'Bench', true, '[]', 48, '[]', $2, $3, '{"mode": "off"}', 3, 0 from product
     ), people as (
       insert into users (id, email, first_name, last_name, status, password_hash)
         select gen_random_uuid(), 'card' || n || '@bench.test', 'Bench', 'Mark', 'active', '$argon2id$none'
           from generate_series(1, $1::int) n returning id
     ), opened as (
       insert into accounts (kind, owner_id, account_type_id, number, asset, overdraft_limit)
         select 'customer', p.id, t.id, next_account_number(), 'EUR', 1000000000000
           from people p, account_types t where t.code = 'current_eur' returning id, owner_id
     )
     insert into cards (id, owner_id, account_id, product_id, product_version, kind, status, last_four, expires_on, issued_by, activated_at)
       select gen_random_uuid(), o.owner_id, o.id, p.id, 1, 'virtual', 'active', '0000', '2099-12-31', o.owner_id, now()
         from opened o, product p returning id, account_id as account`,
    [count, JSON.stringify(controls), JSON.stringify(limits)],
  );
  const cards: BenchCard[] = [];
  for (const [index, { id, account }] of made.rows.entries()) {
    const pan = withCheckDigit(FIRST + BigInt(index));
    await owner.query(
      "insert into card_secrets (card_id, key_id, number_index, sealed_number) values ($1, $2, decode($3, 'hex'), $4)",
      [id, vault.keyId, vault.indexes(pan)[0], vault.seal(pan, id)],
    );
    cards.push({ pan, account });
  }
  return cards;
}

/** A request for 1.00 EUR. */
export const messageOf = ({ pan }: BenchCard) => ({
  ...{
    type: '0100',
    payment_id: randomUUID(),
    stan: randomUUID().slice(0, 8),
    rrn: randomUUID().slice(0, 12),
  },
  ...{ purpose: 'purchase', billing: { amount: '1.00', currency: 'EUR' } },
  ...{ pan, expiry: '12/99', merchant: MERCHANT, entry_mode: 'chip' },
});

const at = (sorted: readonly number[], share: number): string =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(1);

/** Any of them. */
export function anyOf(cards: readonly BenchCard[]): BenchCard {
  const card = cards[Math.floor(Math.random() * cards.length)];
  if (card === undefined) throw new Error('there are no cards');
  return card;
}

/** Gives a request for a payment to the function that decides. Throws if it is declined. */
export async function decideCardPayment(
  app: pg.Pool,
  vault: CardVault,
  { pan, billing, expiry, entry_mode, merchant, ...message }: ReturnType<typeof messageOf>,
): Promise<void> {
  const taken = {
    ...{ ...message, amount: '100', asset: billing.currency, stood_in: false, numbers: vault.indexes(pan) },
    content: [randomBytes(32).toString('hex')],
    said: { merchant, entry_mode, expiry, partial_ok: false },
  };
  const settings = { cvv_tries: 5, cvv_lock_minutes: 60, hold_days: 7 };
  const { rows } = await app.query<{ reason: string }>({
    ...{ name: 'decide', text: 'select reason from card_message_take($1, $2)', values: [taken, settings] },
  });
  if (rows[0]?.reason !== 'approved') throw new Error(`declined: ${String(rows[0]?.reason)}`);
}

/** Asks for a payment as the network does; answers the reason. */
export function networkOf(
  api: string,
  { CARD_NETWORK_KEYS }: Pick<Config, 'CARD_NETWORK_KEYS'>,
): (card: BenchCard) => Promise<string> {
  const [first] = networkKeys(CARD_NETWORK_KEYS);
  if (first === undefined) throw new Error('the stage has no key of the network');
  const [kid, key] = first;
  const network = { door: `${api}/v1/cards/network/messages`, kid, key };
  return async (card) => {
    const answer = await postSigned(network, messageOf(card));
    const said: unknown = await answer.json();
    return String(Reflect.get(Object(said), 'reason') ?? answer.status);
  };
}

/** So many a second, each at its time whether those before have been answered or not, while `goes`. Says how long the answers took, and what they were. */
export async function paced(
  rate: number,
  goes: (number: number) => boolean,
  ask: () => Promise<string>,
): Promise<string> {
  const latencies: number[] = [];
  const reasons = new Map<string, number>();
  const asked: Promise<void>[] = [];
  const begun = performance.now();
  for (let number = 0; goes(number); number += 1) {
    await sleep(Math.max(0, begun + (number * 1_000) / rate - performance.now()));
    const start = performance.now();
    asked.push(
      ask().then((reason) => {
        latencies.push(performance.now() - start);
        reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      }),
    );
  }
  await Promise.all(asked);
  latencies.sort((one, other) => one - other);
  return (
    `${rate} a second for ${((performance.now() - begun) / 1_000).toFixed(0)} s: p50 ${at(latencies, 0.5)} ms, ` +
    `p99 ${at(latencies, 0.99)} ms, most ${at(latencies, 1)} ms; ${JSON.stringify(Object.fromEntries(reasons))}`
  );
}
