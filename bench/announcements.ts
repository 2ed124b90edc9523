/**
 * `npm run bench announcements`: mail of an announcement to a server that keeps nothing, with nothing else running; and 20 payments a second
 * beside an announcement, against the same payments in a quiet bank. ANNOUNCED says how many people there are, 3,000 if it is not set.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { createCipher } from '../adapters/cipher.ts';
import { loadConfig } from '../config.ts';
import type { AccountId } from '../domain/ids.ts';
import { announcementProcess } from '../workflows/announcement/process.ts';
import { startOf } from '../db/queries/platform/outbox.ts';
import { compare, type Sample } from './measure.ts';
import type { Caller } from './stage/caller.ts';
import { openAccounts, paying } from './stage/paying.ts';
import type { Stage } from './stage/stage.ts';

const PEOPLE = Number(process.env['ANNOUNCED'] ?? 3_000);
const PAYMENTS_A_SECOND = 20;
const SECONDS = 20;
const ACCOUNTS = 64;
/** Targets: docs/notifications.md. */
const LEAST_MAILS_A_SECOND = 200;
const MOST_SLOWER = 1.5;

export async function benchAnnouncements(
  stage: Pick<Stage, 'env' | 'api' | 'ownerUrl' | 'sink'>,
  caller: Caller,
  rounds: number,
): Promise<void> {
  const owner = new pg.Client(stage.ownerUrl);
  await owner.connect();
  const taken = async (): Promise<number> => Number(await (await fetch(stage.sink)).text());
  await owner.query(
    `insert into users (email, first_name, last_name, status, password_hash)
       select 'r' || n || '-${randomUUID()}@bench.test', 'Bench', 'Mark', 'active', '$argon2id$none' from generate_series(1, $1::integer) n`,
    [PEOPLE],
  );
  await owner.query('analyze');
  const announce = () => startAnnouncement(stage, caller, owner);

  const before = await taken();
  await announce();
  // the outbox is looked through every few seconds, which is not what is measured
  const first = await untilMore(taken, before);
  const begun = performance.now();
  while ((await taken()) - before < PEOPLE) await wait(50);
  const rate = (PEOPLE - (first - before)) / ((performance.now() - begun) / 1_000);
  process.stdout.write(
    `${PEOPLE} mails of an announcement: ${rate.toFixed(0)} a second, ${rate >= LEAST_MAILS_A_SECOND ? 'within' : 'UNDER'} ${LEAST_MAILS_A_SECOND}\n`,
  );

  const accounts = await openAccounts(stage, caller, ACCOUNTS);
  const any = (): AccountId => accounts[Math.floor(Math.random() * accounts.length)] ?? caller.source;
  const payments = async () => steadily(await paying(stage.api, caller, { payer: any, payee: any }));
  await payments();
  const quiet = async (): Promise<Sample> => {
    await untilIdle(owner);
    return payments();
  };
  let mails = 0;
  const beside = async (): Promise<Sample> => {
    await untilIdle(owner);
    const idle = await taken();
    await announce();
    const sent = await untilMore(taken, idle);
    const sample = await payments();
    mails += (await taken()) - sent;
    await owner.query(
      `update announcements set status = 'stopped', sealed_values = null, finished_at = now() where status = 'sending'`,
    );
    return sample;
  };
  const compared = await compare(
    `${PAYMENTS_A_SECOND} payments a second, announcing / quiet`,
    rounds,
    beside,
    quiet,
  );
  const ratio = middle(
    compared.ours.map(({ p99 }, round) => p99 / (compared.floor[round]?.p99 ?? Number.NaN)),
  );
  process.stdout.write(
    `p99 beside an announcement ${ratio.toFixed(2)} × quiet, ${ratio <= MOST_SLOWER ? 'within' : 'OVER'} ${MOST_SLOWER}; ${(mails / rounds / SECONDS).toFixed(0)} mails a second meanwhile\n`,
  );
  await owner.end();
}

/** Answers the count once it is higher. */
async function untilMore(count: () => Promise<number>, than: number): Promise<number> {
  for (;;) {
    const found = await count();
    if (found > than) return found;
    await wait(20);
  }
}

/** As the operation does once a second administrator has agreed. */
async function startAnnouncement(
  { env }: Pick<Stage, 'env'>,
  caller: Caller,
  owner: pg.Client,
): Promise<void> {
  const id = randomUUID();
  const values = Buffer.from(JSON.stringify({ title: 'Opening hours', body: 'We are closed on Monday.' }));
  const sealed = createCipher(loadConfig(env).ENCRYPTION_KEYS).seal(values, `announcements/${id}`);
  const start = startOf(announcementProcess, { id: id as never });
  await owner.query('begin');
  await owner.query(
    `insert into announcements (id, type_code, sealed_values, created_by, created_at, active_at)
       values ($1, 'announcement', $2, $3, bank_now(), bank_now())`,
    [id, sealed, caller.id],
  );
  await owner.query('insert into process_outbox (workflow_id, process, input) values ($1, $2, $3)', [
    start.workflowId,
    start.name,
    JSON.stringify(start),
  ]);
  await owner.query('commit');
}

/** Calls so many times a second, whether the last has ended or not. */
async function steadily(pay: () => Promise<void>): Promise<Sample> {
  const latencies: number[] = [];
  const calls: Promise<void>[] = [];
  const begun = performance.now();
  for (let call = 0; call < PAYMENTS_A_SECOND * SECONDS; call++) {
    await wait(Math.max(0, begun + (call * 1_000) / PAYMENTS_A_SECOND - performance.now()));
    const start = performance.now();
    calls.push(pay().then(() => void latencies.push(performance.now() - start)));
  }
  await Promise.all(calls);
  latencies.sort((one, other) => one - other);
  const at = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
  return { rate: latencies.length / SECONDS, p50: at(0.5), p99: at(0.99) };
}

/** Until nothing of an announcement waits to be sent. */
async function untilIdle(owner: pg.Client): Promise<void> {
  const waits = `select 1 from notification_deliveries where status = 'queued' and lane = 'bulk' limit 1`;
  while ((await owner.query(waits)).rows.length > 0) await wait(200);
  await wait(3_000);
}

const middle = (figures: readonly number[]): number =>
  figures.toSorted((one, other) => one - other)[Math.floor(figures.length / 2)] ?? Number.NaN;
