/** Holds and postings that must be booked, for a source of the tests: called as the owner, because the application has no such right. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { z } from 'zod';
import type { AccountId } from '../../../domain/ids.ts';
import type { Books } from './books.ts';

/** Runs a statement, perhaps in a transaction. */
export type Sql = Books['asOwner'];

/**
 * Kinds of transactions of the source `test`. `plain` has no rights; `late` may capture more than is held; `clearing` may too, and must
 * be booked.
 */
export type Kind = 'plain' | 'late' | 'clearing';

/** Gives the source `test` its rights. In a database of the test's own: what such a source does has no row that the books know. */
export async function grantRights(sql: Sql): Promise<void> {
  await sql(
    `insert into source_rights (source_type, kind, permits) values ('test', 'hold', 'must_book'),
       ('test', 'clearing', 'must_book'), ('test', 'clearing', 'exceed_hold'), ('test', 'late', 'exceed_hold')`,
  );
}

export interface OpenWish {
  readonly account: AccountId;
  readonly minor: bigint;
  readonly asset?: string;
  /** The source's id: a repeat names the same. */
  readonly source?: string;
  /** ISO time at which it expires. */
  readonly until?: string | null;
  readonly must?: boolean;
}

const Opened = z.object({ hold: z.string().nullable(), refusal: z.string().nullable() });

export async function openHold(sql: Sql, wish: OpenWish): Promise<z.output<typeof Opened>> {
  const { account, minor, asset = 'EUR', source = randomUUID(), until = null, must = false } = wish;
  const [row] = await sql(`select hold_id as hold, refusal from hold_open('test', $1, $2, $3, $4, $5, $6)`, [
    source,
    account,
    asset,
    minor.toString(),
    until,
    must,
  ]);
  return Opened.parse(row);
}

/** Holds so much; throws if the books refuse it. */
export async function mustHold(
  sql: Sql,
  account: AccountId,
  minor: bigint,
  wish: Omit<OpenWish, 'account' | 'minor'> = {},
): Promise<string> {
  const { hold, refusal } = await openHold(sql, { account, minor, ...wish });
  if (hold === null) throw new Error(`nothing was held: ${refusal}`);
  return hold;
}

/** The refusal, or null. */
export async function changeHold(
  sql: Sql,
  hold: string,
  minor: bigint,
  { until = null, must = false }: Pick<OpenWish, 'until' | 'must'> = {},
): Promise<unknown> {
  const [row] = await sql('select hold_change($1, $2, $3, $4) as refusal', [
    hold,
    minor.toString(),
    until,
    must,
  ]);
  return row?.['refusal'];
}

export async function releaseHold(sql: Sql, hold: string): Promise<void> {
  await sql('select hold_release($1)', [hold]);
}

/** A posting between an account and the bank's clearing account. */
export interface Posting {
  readonly account: AccountId;
  /** Signed: a debit is negative. */
  readonly minor: bigint;
  readonly asset?: string;
  readonly kind?: Kind;
  /** The source's id: a repeat names the same. */
  readonly source?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

export async function commandOf(sql: Sql, posting: Posting): Promise<object> {
  const { account, minor, asset = 'EUR', kind = 'plain', source = randomUUID(), metadata } = posting;
  const [house] = await sql(`select house_account('clearing', $1, $2) as id`, [asset, source]);
  return {
    ...{ id: randomUUID(), kind, source_type: 'test', source_id: source, metadata },
    ...(kind === 'clearing' ? { must: true } : {}),
    entries: [
      { account, asset, amount: minor.toString() },
      { account: house?.['id'], asset, amount: (-minor).toString() },
    ],
  };
}

/** Captures so much; the verdict. */
export async function captureHold(
  sql: Sql,
  hold: string,
  posting: Posting,
  final: boolean,
): Promise<unknown> {
  const [row] = await sql('select hold_capture($1, $2, $3) as verdict', [
    hold,
    JSON.stringify(await commandOf(sql, posting)),
    final,
  ]);
  return row?.['verdict'];
}

/** Posts each in their order; the verdicts. */
export async function bookAll(sql: Sql, postings: readonly Posting[]): Promise<unknown[]> {
  const commands: object[] = [];
  for (const posting of postings) commands.push(await commandOf(sql, posting));
  const rows = await sql('select verdict from ledger_post($1) order by ord', [JSON.stringify(commands)]);
  return rows.map(({ verdict }) => verdict);
}

export async function book(sql: Sql, posting: Posting): Promise<unknown> {
  return (await bookAll(sql, [posting]))[0];
}

/** Ends the holds whose time is over; how many. */
export async function expireDue(sql: Sql, most = 100): Promise<unknown> {
  return (await sql('select holds_expire($1) as expired', [most]))[0]?.['expired'];
}

const Standing = z.object({
  status: z.string(),
  posted: z.string().transform(BigInt),
  held: z.string().transform(BigInt),
  unarranged: z.string().transform(BigInt),
  since: z.boolean(),
});

/** An account's figures, whether it says since when it is below its limit, and its status. */
export async function standing(sql: Sql, account: AccountId): Promise<z.output<typeof Standing>> {
  const [row] = await sql(
    `select status, posted::text, held::text, unarranged::text, unarranged_since is not null as since
       from accounts where id = $1`,
    [account],
  );
  return Standing.parse(row);
}

const Held = z.object({
  status: z.string(),
  amount: z.string().transform(BigInt),
  captured: z.string().transform(BigInt),
  ended: z.boolean(),
});

/** Holds in the order of these ids. */
export async function holdsAt(sql: Sql, holds: readonly string[]): Promise<z.output<typeof Held>[]> {
  const rows = await sql(
    `select status, amount::text, captured::text, resolved_at is not null as ended
       from holds where id = any ($1::uuid[]) order by array_position($1::uuid[], id)`,
    [holds],
  );
  return rows.map((row) => Held.parse(row));
}

export async function holdAt(sql: Sql, hold: string): Promise<z.output<typeof Held> | undefined> {
  return (await holdsAt(sql, [hold]))[0];
}

/** What stands on the bank's suspense accounts for an account, and why. */
export async function suspended(sql: Sql, account: AccountId): Promise<Record<string, unknown>[]> {
  return sql(
    `select sum(e.amount)::text as sum, t.metadata->>'why' as why
       from ledger_transactions t join ledger_entries e on e.transaction_id = t.id
       join accounts a on a.id = e.account_id and a.role = 'suspense'
      where t.metadata->>'for_account' = $1 group by 2 order by 2`,
    [account],
  );
}

/** Does it in a transaction that never commits: the program goes away, or the server cuts the connection. */
export async function lost<Done>(
  ownerUrl: string,
  work: (sql: Sql) => Promise<Done>,
  cut: boolean,
): Promise<Done> {
  const client = new pg.Client(ownerUrl);
  // a connection that is cut says so
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('begin');
    const done = await work(
      async (statement, parameters = []) =>
        (await client.query<Record<string, unknown>>(statement, parameters)).rows,
    );
    if (cut) await client.query('select pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
    return done;
  } finally {
    await client.end().catch(() => undefined);
  }
}
