/** Books to write in: customers and accounts put straight into PostgreSQL, for the tests of what stands below the API. */
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { openAccount } from '../../../db/ledger/accounts.ts';
import { post, type PostingVerdict, type TransactionDraft } from './posting.ts';
import { openOrm } from '../../../db/orm.ts';
import { row } from '../stack/sql.ts';
import { AccountId, AccountTypeId, UserId } from '../../../domain/ids.ts';
import { PATIENCE_MS } from '../patience.ts';
import type { Database } from '../stack/database.ts';

/** An account's two figures, in minor units. */
export interface Balance {
  readonly posted: bigint;
  readonly held: bigint;
}

export interface Books {
  readonly orm: MikroORM;
  /** A fork as the application's role. */
  em(): EntityManager;
  /** A fork as the owner of the tables. */
  ownerEm(): EntityManager;
  /** Runs a statement as the owner of the tables, whom grants do not bind. */
  asOwner(statement: string, parameters?: unknown[]): Promise<Record<string, unknown>[]>;
  user(): Promise<UserId>;
  /** An administrator made by command, who holds these actions; a user who is named becomes one. */
  admin(actions: readonly string[], person?: UserId): Promise<UserId>;
  account(owner: UserId, asset?: string): Promise<AccountId>;
  /** Pays in from the bank's own adjustments account. */
  fund(account: AccountId, minor: bigint, asset?: string): Promise<void>;
  balance(account: AccountId): Promise<Balance>;
  close(): Promise<void>;
}

/**
 * Opens a database: `ownBank()`, or in test/api SHARED, in which the worker of the stack acts on all rows. `close` it in afterAll.
 */
export function openBooks({ url, ownerUrl }: Database): Books {
  // a hundred callers at once wait for one another: what they prove is not how fast the machine is
  const orm = openOrm({ DATABASE_URL: url, DATABASE_POOL_MAX: 20 }, PATIENCE_MS);
  const ownerOrm = openOrm({ DATABASE_URL: ownerUrl, DATABASE_POOL_MAX: 20 }, PATIENCE_MS);
  const ownerEm = () => ownerOrm.em.fork();
  const owner = new pg.Pool({ connectionString: ownerUrl, max: 8 });
  const em = () => orm.em.fork();
  const asOwner: Books['asOwner'] = async (statement, parameters = []) =>
    (await owner.query<Record<string, unknown>>(statement, parameters)).rows;

  const user: Books['user'] = async () => {
    const id = UserId.parse(randomUUID());
    await asOwner(
      `insert into users (id, email, first_name, last_name, status, password_hash) values ($1, $2, 'Test', 'Person', 'active', '$argon2id$never')`,
      [id, `${id}@books.test`],
    );
    return id;
  };

  return {
    orm,
    em,
    ownerEm,
    asOwner,
    user,
    async admin(actions, person) {
      const id = person ?? (await user());
      await asOwner(`update users set role = 'admin' where id = $1`, [id]);
      const grant =
        'insert into user_permissions (user_id, action) select $1, unnest($2::text[]) on conflict do nothing';
      await asOwner(grant, [id, [...actions]]);
      return id;
    },
    async account(ownerId, asset = 'EUR') {
      const [type] = await asOwner(
        'select id from account_types where asset = $1 and openable_by = $2 order by id limit 1',
        [asset, 'customer'],
      );
      const id = AccountId.parse(randomUUID());
      const opening = { id, owner: ownerId, type: AccountTypeId.parse(type?.['id']), nickname: null };
      await openAccount(em(), opening, { country: 'DE', bankCode: '99990000' });
      return id;
    },
    async fund(account, minor, asset = 'EUR') {
      const [verdict] = await post(ownerEm(), [await funding(ownerEm(), account, minor, asset)]);
      if (verdict !== 'posted') throw new Error(`funding was refused: ${verdict}`);
    },
    async balance(account) {
      const found = await row<{ posted: string; held: string }>(
        em(),
        'select posted, held from accounts where id = $1',
        [account],
      );
      return { posted: BigInt(found?.posted ?? 0), held: BigInt(found?.held ?? 0) };
    },
    async close() {
      await orm.close(true);
      await ownerOrm.close(true);
      await owner.end();
    },
  };
}

async function funding(
  em: EntityManager,
  account: AccountId,
  minor: bigint,
  asset: string,
): Promise<TransactionDraft> {
  const id = randomUUID();
  const house = await row<{ id: string }>(em, `select house_account('adjustments', $1, $2) as id`, [
    asset,
    id,
  ]);
  return draft([
    { account: AccountId.parse(house?.id), asset, amount: -minor },
    { account, asset, amount: minor },
  ]);
}

/** A ledger transaction of a test, with a reference of its own. */
export function draft(
  entries: TransactionDraft['entries'],
  reference: string = randomUUID(),
): TransactionDraft {
  return { id: randomUUID(), kind: 'test', sourceType: 'test', sourceId: reference, entries };
}

/** A payment from one account to another. */
export function payment(from: AccountId, to: AccountId, minor: bigint, asset = 'EUR'): TransactionDraft {
  return draft([
    { account: from, asset, amount: -minor },
    { account: to, asset, amount: minor },
  ]);
}

/** How many of each verdict. */
export function count(verdicts: readonly PostingVerdict[]): Partial<Record<PostingVerdict, number>> {
  const counted: Partial<Record<PostingVerdict, number>> = {};
  for (const verdict of verdicts) counted[verdict] = (counted[verdict] ?? 0) + 1;
  return counted;
}
