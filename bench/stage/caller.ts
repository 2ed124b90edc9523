/** A customer with a session, two funded accounts, and as many step-up tokens as a benchmark spends. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { pino } from 'pino';
import { createCipher } from '../../adapters/cipher.ts';
import { requestHash } from '../../api/pipeline/factors/step-up.ts';
import { createIdentity } from '../../services/identity/identity.ts';
import { loadConfig } from '../../config.ts';
import { openOrm } from '../../db/orm.ts';
import { AccountId, SessionId, UserId } from '../../domain/ids.ts';
import type { Stage } from './stage.ts';

export interface Caller {
  readonly id: UserId;
  readonly token: string;
  readonly source: AccountId;
  readonly destination: AccountId;
  /** Another access token: one lives ten minutes. */
  freshToken(): Promise<string>;
  /** A fresh token for one transfer with this body. */
  stepUp(body: object): Promise<string>;
  close(): Promise<void>;
}

/**
 * Written straight into the stage's database: how a customer registers is not what is measured here. With permissions it is an
 * administrator, whose second factor stays fresh.
 */
export async function makeCaller(
  stage: Pick<Stage, 'env' | 'ownerUrl'>,
  permissions: readonly string[] = [],
): Promise<Caller> {
  const isAdmin = permissions.length > 0;
  const [role, amr] = [isAdmin ? 'admin' : 'customer', isAdmin ? ['pwd', 'otp'] : ['pwd']];
  const config = loadConfig(stage.env);
  const orm = openOrm(config);
  const identity = createIdentity({
    config,
    cipher: createCipher(config.ENCRYPTION_KEYS),
    em: () => orm.em.fork(),
    log: pino({ level: 'silent' }),
  });
  const owner = new pg.Client(stage.ownerUrl);
  await owner.connect();
  const userId = UserId.parse(randomUUID());
  const sessionId = SessionId.parse(randomUUID());
  await owner.query(
    `insert into users (id, email, first_name, last_name, status, password_hash, role) values ($1, $2, 'Bench', 'Mark', 'active', '$argon2id$none', $3)`,
    [userId, `${userId}@bench.test`, role],
  );
  await owner.query(
    'insert into user_permissions (user_id, action) select $1, action from unnest($2::text[]) action',
    [userId, permissions],
  );
  await owner.query(
    `insert into sessions (id, user_id, amr, device_label, address, expires_at, factor_at)
     select $1, $2, $3, 'bench', '127.0.0.1', tomorrow, case when $4 then tomorrow end from (select now() + interval '1 day') t(tomorrow)`,
    [sessionId, userId, amr, isAdmin],
  );
  const opened = await owner.query<{ id: string }>(
    `insert into accounts (kind, owner_id, account_type_id, number, asset, overdraft_limit)
     select 'customer', $1, t.id, next_account_number(), t.asset, 1000000000000 from account_types t, generate_series(1, 10) where t.code = 'current_eur' returning id`,
    [userId],
  );
  await owner.end();
  const [source, destination] = opened.rows.map(({ id }) => AccountId.parse(id));
  if (source === undefined || destination === undefined) throw new Error('the benchmark has no accounts');
  const freshToken = async (): Promise<string> =>
    (await identity.tokens.issueAccess({ userId, sessionId, amr, authenticatedAt: new Date() })).token;
  return {
    id: userId,
    token: await freshToken(),
    freshToken,
    source,
    destination,
    stepUp: async (body) => {
      const request = requestHash('/v1/transfers', body);
      const linked = { userId, sessionId, operation: 'createTransfer', request };
      return (await identity.tokens.issueStepUp(linked)).token;
    },
    close: async () => {
      await identity.close();
      await orm.close(true);
    },
  };
}
