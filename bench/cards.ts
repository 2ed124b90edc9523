/** Card authorisations while Temporal is away: fifty a second for a minute over HTTP, and the function that decides beside a bare UPDATE and INSERT. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { createCardVault } from '../adapters/card-vault.ts';
import { loadConfig } from '../config.ts';
import { compare, drive, type Comparison } from './measure.ts';
import { anyOf, decideCardPayment, makeCards, messageOf, networkOf, paced } from './stage/card-traffic.ts';
import type { Stage } from './stage/stage.ts';

const CARDS = 200;
const RATE = 50;
const SECONDS = 60;
const CALLERS = [1, 8];
const DRIVEN_SECONDS = 5;

export async function benchCards(stage: Stage, rounds: number): Promise<Comparison[]> {
  // nobody listens there
  const { api, env, ownerUrl } = await stage.beside('cards', { TEMPORAL_ADDRESS: '127.0.0.1:1' });
  const config = loadConfig(env);
  const owner = new pg.Client(ownerUrl);
  // what fails is told by the query that it fails, not by the end of the stage
  owner.on('error', () => undefined);
  await owner.connect();
  const cards = await makeCards(owner, config.CARD_KEYS, CARDS);
  const any = () => anyOf(cards);
  const ask = networkOf(api, config);
  for (const seconds of [5, SECONDS]) {
    const said = await paced(
      RATE,
      (number) => number < RATE * seconds,
      () => ask(any()),
    );
    process.stdout.write(`authorisations, Temporal away, ${said}\n`);
  }

  const app = new pg.Pool({ connectionString: env['DATABASE_URL'], max: Math.max(...CALLERS) });
  const vault = createCardVault(config.CARD_KEYS);
  const decide = () => decideCardPayment(app, vault, messageOf(any()));
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
