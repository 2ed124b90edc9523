/**
 * A bank to tell stories in: customers and admins with a session (put into the database: how they got it is told elsewhere),
 * accounts, money and transfers through the public API.
 */
import { expect } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { pino } from 'pino';
import { z } from 'zod';
import { createCipher } from '../../../adapters/cipher.ts';
import { requestHash } from '../../../api/pipeline/factors/step-up.ts';
import { createIdentity } from '../../../services/identity/identity.ts';
import { loadConfig } from '../../../config.ts';
import { brokenChecks } from './proof.ts';
import { openOrm } from '../../../db/orm.ts';
import { SessionId, UserId } from '../../../domain/ids.ts';
import { apiClient, newKey, patiently, type Answered, type ApiClient } from '../client.ts';
import { servedOperations } from '../declared/served.ts';
import { stack } from '../stack/stack.ts';
import { until } from '../until.ts';

export interface Person {
  readonly id: UserId;
  readonly token: string;
  readonly client: ApiClient;
  /** A fresh step-up token for one operation; if it moves money out, for the one request with this body. */
  stepUp(operation: string, body?: object): Promise<string>;
}

/** An account as its owner sees it. */
export const AccountAnswer = z.object({
  id: z.uuid(),
  number: z.string(),
  currency: z.string(),
  status: z.string(),
  balance: z.object({ amount: z.string() }),
  held: z.object({ amount: z.string() }),
  available: z.object({ amount: z.string() }),
});
export type AccountAnswer = z.output<typeof AccountAnswer>;

/** A transfer, as far as stories look at it. */
export const TransferAnswer = z.looseObject({ id: z.uuid(), status: z.string() });

const Decided = z.looseObject({ decision: z.looseObject({ state: z.string() }) });
/** Whether a decision is certain to be carried out and has not been yet, as a busy machine answers. */
const isUnderWay = ({ body }: Answered): boolean =>
  Decided.safeParse(body).data?.decision.state === 'accepted';

/** Executes a transfer that waits for approval, and waits until its process has done so. */
export async function executePending(
  { client, token }: Pick<Person, 'client' | 'token'>,
  id: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const options = { token, key: newKey(), body: {}, headers };
  const execute = () => patiently(() => client.call('POST', `/v1/admin/transfers/${id}/execute`, options));
  let done = await execute();
  await until(
    async () => {
      if (isUnderWay(done)) done = await execute();
      return !isUnderWay(done);
    },
    () => done.text,
  );
  expect(done.body).toMatchObject({ status: 'executed' });
}

export interface TransferWish {
  readonly from: string;
  readonly to: string;
  readonly amount: string;
  readonly currency?: string;
  readonly key?: string;
  readonly description?: string;
  readonly quoteId?: string;
  /** Got before; else a fresh one is got now. */
  readonly stepUp?: string;
}

export interface Bank {
  customer(): Promise<Person>;
  admin(...permissions: string[]): Promise<Person>;
  /** The same persons at another address of the API. */
  account(owner: Person, type?: string): Promise<AccountAnswer>;
  /** Pays in by an adjustment that a second admin executes. */
  fund(account: { id: string; currency: string }, amount: string): Promise<void>;
  /** An account with money in it. */
  fundedAccount(owner: Person, amount: string, type?: string): Promise<AccountAnswer>;
  transfer(person: Person, wish: TransferWish): Promise<Answered>;
  look(owner: Person, account: { id: string }): Promise<AccountAnswer>;
  expectBooksBalanced(): Promise<void>;
  asOwner(statement: string, parameters?: unknown[]): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

/** What is sent for a wish; a step-up that is got before is for this. */
export function transferBody({
  from,
  to,
  amount,
  currency = 'EUR',
  description,
  quoteId,
}: TransferWish): object {
  return {
    source_account_id: from,
    destination: { account_id: to },
    amount: { amount, currency },
    ...(description === undefined ? {} : { description }),
    ...(quoteId === undefined ? {} : { quote_id: quoteId }),
  };
}

/** What a token has to be linked to: the one request, if the operation moves money out. */
async function linkOf(operation: string, body: object | undefined): Promise<string | null> {
  const declared = (await servedOperations()).find(({ id }) => id === operation);
  if (declared?.isLinked !== true) return null;
  if (body === undefined)
    throw new Error(`a step-up for ${operation} is for one request, so it needs the body`);
  return requestHash(declared.path, body);
}

/** The shared bank, or one whose service runs elsewhere with an environment of its own. */
export function openBank(api: string = stack.api, env: NodeJS.ProcessEnv = stack.serviceEnv): Bank {
  const config = loadConfig(env);
  const orm = openOrm(config);
  const identity = createIdentity({
    config,
    cipher: createCipher(config.ENCRYPTION_KEYS),
    em: () => orm.em.fork(),
    log: pino({ level: 'silent' }),
  });
  const owner = new pg.Pool({ connectionString: config.DATABASE_OWNER_URL, max: 2 });
  owner.on('error', () => undefined);
  const asOwner: Bank['asOwner'] = async (statement, parameters = []) =>
    (await owner.query<Record<string, unknown>>(statement, parameters)).rows;

  async function person(role: 'customer' | 'admin'): Promise<Person> {
    const id = UserId.parse(randomUUID());
    const sessionId = SessionId.parse(randomUUID());
    await asOwner(
      `insert into users (id, email, first_name, last_name, role, status, password_hash)
       values ($1, $2, 'Test', 'Person', $3, 'active', '$argon2id$none')`,
      [id, `${id}@bank.test`, role],
    );
    await asOwner(
      `insert into sessions (id, user_id, amr, address, proved_at, expires_at)
       values ($1, $2, '{pwd,otp}', '127.0.0.1', now(), now() + interval '1 day')`,
      [sessionId, id],
    );
    const { token } = await identity.tokens.issueAccess({
      userId: id,
      sessionId,
      amr: ['pwd', 'otp'],
      authenticatedAt: new Date(),
    });
    return {
      id,
      token,
      client: apiClient(api),
      stepUp: async (operation, body) => {
        const request = await linkOf(operation, body);
        return (await identity.tokens.issueStepUp({ userId: id, sessionId, operation, request })).token;
      },
    };
  }

  async function admin(...permissions: string[]): Promise<Person> {
    const made = await person('admin');
    for (const action of permissions)
      await asOwner('insert into user_permissions (user_id, action) values ($1, $2)', [made.id, action]);
    return made;
  }

  let backOffice: Promise<readonly [Person, Person]> | undefined;
  const types = new Map<string, string>();

  const bank: Bank = {
    customer: () => person('customer'),
    admin,
    async account(who, type = 'current_eur') {
      if (!types.has(type)) {
        const [found] = await asOwner('select id from account_types where code = $1', [type]);
        types.set(type, String(found?.['id']));
      }
      const call = {
        token: who.token,
        stepUp: await who.stepUp('openAccount'),
        key: newKey(),
        body: { account_type_id: types.get(type) },
      };
      const answer = await patiently(() => who.client.call('POST', '/v1/accounts', call));
      expect(answer).toMatchObject({ status: 201 });
      return answer.as(AccountAnswer);
    },
    async fund(account, amount) {
      backOffice ??= Promise.all([admin('adjustments:write'), admin('transfers:review')]);
      const [maker, checker] = await backOffice;
      const adjustment = {
        token: maker.token,
        key: newKey(),
        body: {
          account_id: account.id,
          direction: 'credit',
          amount: { amount, currency: account.currency },
          reason: 'opening balance',
        },
      };
      const asked = await patiently(() => maker.client.call('POST', '/v1/admin/adjustments', adjustment));
      expect(asked).toMatchObject({ status: 201 });
      await executePending(checker, asked.as(TransferAnswer).id);
    },
    async fundedAccount(who, amount, type) {
      const opened = await bank.account(who, type);
      await bank.fund(opened, amount);
      return opened;
    },
    transfer: async (who, wish) =>
      who.client.call('POST', '/v1/transfers', {
        token: who.token,
        stepUp: wish.stepUp ?? (await who.stepUp('createTransfer', transferBody(wish))),
        key: wish.key ?? newKey(),
        body: transferBody(wish),
      }),
    look: async (who, { id }) =>
      (await who.client.call('GET', `/v1/accounts/${id}`, { token: who.token })).as(AccountAnswer),
    async expectBooksBalanced() {
      expect(await brokenChecks(orm.em.fork())).toEqual([]);
    },
    asOwner,
    async close() {
      await identity.close();
      await orm.close(true);
      await owner.end();
    },
  };
  return bank;
}
