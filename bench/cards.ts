/** Card authorisations while Temporal is away: fifty a second for a minute over HTTP, and the function that decides beside a bare UPDATE and INSERT. */
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { networkKeys, networkSignature } from '../adapters/card-network.ts';
import { createCardVault } from '../adapters/card-vault.ts';
import { loadConfig } from '../config.ts';
import { withCheckDigit } from '../domain/cards/cards.ts';
import { compare, drive, type Comparison } from './measure.ts';
import type { Stage } from './stage/stage.ts';

const CARDS = 200;
const RATE = 50;
const SECONDS = 60;
const CALLERS = [1, 8];
const DRIVEN_SECONDS = 5;
const FIRST = 900_000_000_000_000n;
const merchant = { id: 'SHOP1', name: 'Corner shop', city: 'Berlin', country: 'DE', mcc: '5411' };

interface BenchCard {
  readonly pan: string;
  readonly account: string;
}

/** Cards of as many customers, each with money, a limit and a control. */
async function makeCards(owner: pg.Client, keys: readonly string[]): Promise<BenchCard[]> {
  const vault = createCardVault(keys);
  const limits = [{ period: 'day', scope: 'all', amount: '900000000', count: null }];
  const controls = [{ type: 'country', mode: 'block', values: ['KP'] }];
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
    [CARDS, JSON.stringify(controls), JSON.stringify(limits)],
  );
  const cards: BenchCard[] = [];
  for (const [index, { id, account }] of made.rows.entries()) {
    const pan = withCheckDigit(FIRST + BigInt(index));
    await owner.query(
      'insert into card_secrets (card_id, key_id, number_index, sealed_number) values ($1, $2, $3, $4)',
      [id, vault.keyId, vault.indexes(pan)[0], vault.seal(pan, id)],
    );
    cards.push({ pan, account });
  }
  return cards;
}

const messageOf = ({ pan }: BenchCard) => ({
  ...{
    type: '0100',
    payment_id: randomUUID(),
    stan: randomUUID().slice(0, 8),
    rrn: randomUUID().slice(0, 12),
  },
  ...{ purpose: 'purchase', billing: { amount: '1.00', currency: 'EUR' } },
  ...{ pan, expiry: '12/99', merchant, entry_mode: 'chip' },
});

const at = (sorted: readonly number[], share: number): string =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(1);

/** One authorisation after the other at its time, whether those before have been answered or not. */
async function paced(seconds: number, ask: () => Promise<string>): Promise<void> {
  const latencies: number[] = [];
  const reasons = new Map<string, number>();
  const asked: Promise<void>[] = [];
  const begun = performance.now();
  for (let number = 0; number < RATE * seconds; number += 1) {
    await sleep(Math.max(0, begun + (number * 1_000) / RATE - performance.now()));
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
  process.stdout.write(
    `authorisations, Temporal away, ${RATE} a second for ${seconds} s: p50 ${at(latencies, 0.5)} ms, p99 ${at(latencies, 0.99)} ms, ` +
      `most ${at(latencies, 1)} ms; ${JSON.stringify(Object.fromEntries(reasons))}\n`,
  );
}

export async function benchCards(stage: Stage, rounds: number): Promise<Comparison[]> {
  // nobody listens there
  const { api, env, ownerUrl } = await stage.beside('cards', { TEMPORAL_ADDRESS: '127.0.0.1:1' });
  const config = loadConfig(env);
  const owner = new pg.Client(ownerUrl);
  // what fails is told by the query that it fails, not by the end of the stage
  owner.on('error', () => undefined);
  await owner.connect();
  const cards = await makeCards(owner, config.CARD_KEYS);
  const any = (): BenchCard => {
    const card = cards[Math.floor(Math.random() * cards.length)];
    if (card === undefined) throw new Error('there are no cards');
    return card;
  };
  const [first] = networkKeys(config.CARD_NETWORK_KEYS);
  if (first === undefined) throw new Error('the stage has no key of the network');
  const [kid, key] = first;

  const overHttp = async (): Promise<string> => {
    const body = JSON.stringify(messageOf(any()));
    const headers = {
      'Content-Type': 'application/json',
      'Network-Signature': networkSignature(kid, key, body),
    };
    const answer = await fetch(`${api}/v1/cards/network/messages`, { method: 'POST', body, headers });
    const said: unknown = await answer.json();
    return String(Reflect.get(Object(said), 'reason') ?? answer.status);
  };
  await paced(5, overHttp);
  await paced(SECONDS, overHttp);

  const app = new pg.Pool({ connectionString: env['DATABASE_URL'], max: Math.max(...CALLERS) });
  const vault = createCardVault(config.CARD_KEYS);
  const decide = async (): Promise<void> => {
    const { pan, billing, expiry, entry_mode, ...message } = messageOf(any());
    const numbers = vault.indexes(pan).map((index) => index.toString('hex'));
    const taken = {
      ...{ ...message, amount: '100', asset: billing.currency, stood_in: false, numbers },
      ...{
        content: [randomBytes(32).toString('hex')],
        said: { merchant, entry_mode, expiry, partial_ok: false },
      },
    };
    const settings = { cvv_tries: 5, cvv_lock_minutes: 60, hold_days: 7 };
    const { rows } = await app.query<{ reason: string }>({
      ...{ name: 'decide', text: 'select reason from card_message_take($1, $2)', values: [taken, settings] },
    });
    if (rows[0]?.reason !== 'approved') throw new Error(`declined: ${String(rows[0]?.reason)}`);
  };
  await owner.query(
    'create table bench_payments (id uuid primary key, account uuid, amount numeric, at timestamptz default now())',
  );
  const direct = new pg.Pool({ connectionString: ownerUrl, max: Math.max(...CALLERS) });
  const bare = async (): Promise<void> => {
    await direct.query({
      name: 'bare',
      text: `with held as (update accounts set held = held + 100 where id = $2 returning id)
             insert into bench_payments (id, account, amount) select $1, id, 100 from held`,
      values: [randomUUID(), any().account],
    });
  };
  const results: Comparison[] = [];
  for (const callers of CALLERS) {
    await drive(callers, 1, decide);
    const name = `decide a card payment / bare UPDATE and INSERT, ${callers} callers`;
    const ours = () => drive(callers, DRIVEN_SECONDS, decide);
    results.push(await compare(name, rounds, ours, () => drive(callers, DRIVEN_SECONDS, bare)));
  }
  await Promise.all([app.end(), direct.end(), owner.end()]);
  return results;
}
