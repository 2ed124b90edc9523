/** Posting through the ledger against the same rows written by hand: BEGIN, five statements, COMMIT. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { createPoster, type TransactionDraft } from '../test/support/bank/posting.ts';
import { brokenChecks } from '../test/support/bank/proof.ts';
import { openOrm } from '../db/orm.ts';
import { AccountId } from '../domain/ids.ts';
import { compare, drive, type Comparison } from './measure.ts';
import type { Stage } from './stage/stage.ts';

const ACCOUNTS = 10_000;
const SECONDS = 3;
/** Then the tables are analysed: the hand-written statements would else keep plans made while they were empty. */
const WARM_UP = 2_000;

/** Who pays whom. */
interface Pair {
  readonly payer: () => AccountId;
  readonly payee: () => AccountId;
}
interface Shape extends Pair {
  readonly name: string;
}

/** Both on 1 to 64 callers: anybody to anybody, all into one account, and one account to all. The books are proven afterwards. */
export async function benchPosting(stage: Stage, rounds: number): Promise<Comparison[]> {
  const owner = new pg.Pool({ connectionString: stage.ownerUrl, max: 64 });
  // the owner too: the application posts only by the functions that check an order
  const orm = openOrm({ DATABASE_URL: stage.ownerUrl, DATABASE_POOL_MAX: 24 });
  const poster = createPoster(() => orm.em.fork());
  const ids = await fillAccounts(owner);
  const any = (): AccountId => ids[Math.floor(Math.random() * ids.length)] ?? fail();
  const hot = ids[0] ?? fail();
  const payment = ({ payer, payee }: Pair): TransactionDraft => {
    let [from, to] = [payer(), payee()];
    while (from === to) [from, to] = [payer(), payee()];
    const id = randomUUID();
    const entry = (account: AccountId, amount: bigint) => ({ account, asset: 'EUR', amount });
    return {
      id,
      kind: 'bench',
      sourceType: 'bench',
      sourceId: id,
      entries: [entry(from, -100n), entry(to, 100n)],
    };
  };
  for (let count = 0; count < WARM_UP; count += 1) await byHand(owner, payment({ payer: any, payee: any }));
  await owner.query('analyze');
  const results: Comparison[] = [];
  const shapes: readonly Shape[] = [
    { name: 'uniform', payer: any, payee: any },
    { name: 'one hot payee', payer: any, payee: () => hot },
    { name: 'one hot payer', payer: () => hot, payee: any },
  ];
  for (const shape of shapes) {
    for (const callers of [1, 4, 16, 64]) {
      const ours = async (): Promise<void> => {
        const verdict = await poster.submit(payment(shape));
        if (verdict !== 'posted') throw new Error(verdict);
      };
      results.push(
        await compare(
          `posting, ${shape.name}, ${callers} callers`,
          rounds,
          () => drive(callers, SECONDS, ours),
          () => drive(callers, SECONDS, () => byHand(owner, payment(shape))),
        ),
      );
    }
  }
  const broken = await brokenChecks(orm.em.fork());
  if (broken.length > 0) throw new Error(`the books do not balance: ${JSON.stringify(broken)}`);
  await orm.close(true);
  await owner.end();
  return results;
}

async function fillAccounts(owner: pg.Pool): Promise<AccountId[]> {
  const user = randomUUID();
  await owner.query(
    `insert into users (id, email, first_name, last_name, status) values ($1, $2, 'Bench', 'Mark', 'pending')`,
    [user, `${user}@bench.test`],
  );
  const found = await owner.query<{ id: string }>(
    `insert into accounts (kind, owner_id, account_type_id, number, asset, overdraft_limit)
     select 'customer', $1, t.id, next_account_number(), t.asset, 1000000000000 from account_types t, generate_series(1, $2::int) where t.code = 'current_eur'
     returning id`,
    [user, ACCOUNTS],
  );
  await owner.query('analyze accounts');
  return found.rows.map(({ id }) => AccountId.parse(id));
}

/**
 * What a careful programmer writes without a posting function. The time of booking is read once the accounts are locked: entries of an
 * account are in the order of their times.
 */
async function byHand(pool: pg.Pool, draft: TransactionDraft): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const accounts = draft.entries.map(({ account }) => account);
    const locked = await client.query<{ id: string; posted: string; entry_seq: string }>({
      name: 'lock',
      text: 'select id, posted, entry_seq from accounts where id = any($1) order by id for no key update',
      values: [accounts],
    });
    const {
      rows: [booked = fail()],
    } = await client.query<{ at: string; day: string }>({
      name: 'transaction',
      text: `insert into ledger_transactions (id, kind, source_type, source_id, booked_at, value_date)
             select $1, $2, $3, $4, c.at, bank_day(c.at) from (select bank_now() as at) c
             returning booked_at::text as at, value_date::text as day`,
      values: [draft.id, draft.kind, draft.sourceType, draft.sourceId],
    });
    const lines: unknown[] = [draft.id, booked.at, booked.day];
    for (const { account, amount } of draft.entries) {
      const before = locked.rows.find(({ id }) => id === account) ?? fail();
      await client.query({
        name: 'balance',
        text: 'update accounts set posted = posted + $2::numeric, entry_seq = entry_seq + 1, last_entry_at = $3 where id = $1',
        values: [account, amount.toString(), booked.at],
      });
      lines.push(
        account,
        BigInt(before.entry_seq) + 1n,
        amount.toString(),
        (BigInt(before.posted) + amount).toString(),
      );
    }
    await client.query({
      name: 'entries',
      text: `insert into ledger_entries (transaction_id, account_id, seq, asset, amount, balance_after, booked_at, value_date)
             values ($1, $4, $5, 'EUR', $6, $7, $2, $3), ($1, $8, $9, 'EUR', $10, $11, $2, $3)`,
      values: lines,
    });
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

function fail(): never {
  throw new Error('the benchmark has no account');
}
