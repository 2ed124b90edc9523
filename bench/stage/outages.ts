/** A branch of the stage whose parts can be shut or made to hang, and an account that can be held. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { createCipher } from '../../adapters/cipher.ts';
import { connectTemporal } from '../../adapters/temporal.ts';
import { loadConfig } from '../../config.ts';
import { openOrm } from '../../db/orm.ts';
import type { AccountId } from '../../domain/ids.ts';
import { notify } from '../../services/notifications/events.ts';
import { openGate } from '../../test/support/stack/gate.ts';
import { makeCaller, type Caller } from './caller.ts';
import { atRest, outboxEmpty } from './deciding.ts';
import { call, openAccounts, untilItAnswers } from './paying.ts';
import type { Stage } from './stage.ts';

const ACCOUNTS = 200;
/** More than the outside has slots. */
const WAITING = 40;
const AT_THE_LOCK = 4;

/** What goes wrong, and whom it must not reach. `begin` answers what mends it. */
export interface Outage {
  readonly name: string;
  readonly reach: 'transfers' | 'transfers and decisions';
  begin(): Promise<() => Promise<void>>;
}

export interface Outages {
  readonly api: string;
  readonly customer: Caller;
  readonly admin: Caller;
  readonly accounts: readonly AccountId[];
  readonly outages: readonly Outage[];
  /** Waits until the processes of these transfers have been started and wait for a decision. */
  started(transfers: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export async function openOutages(stage: Stage): Promise<Outages> {
  const beside = await stage.beside('outages');
  const [temporal, mail, store] = await Promise.all(
    [
      `tcp://${String(beside.env['TEMPORAL_ADDRESS'])}`,
      beside.env['SMTP_URL'],
      beside.env['S3_ENDPOINT'],
    ].map((address) => openGate(new URL(String(address)))),
  );
  if (temporal === undefined || mail === undefined || store === undefined) throw new Error('no gates');
  const port = await stage.nextPort();
  const api = `http://127.0.0.1:${port}`;
  const env = {
    DATABASE_URL: String(beside.env['DATABASE_URL']),
    DATABASE_OWNER_URL: beside.ownerUrl,
    PORT: String(port),
    TEMPORAL_ADDRESS: `127.0.0.1:${temporal.port}`,
    SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    S3_ENDPOINT: `http://127.0.0.1:${store.port}`,
    TEMPORAL_TASK_QUEUE: 'outages',
  };
  await stage.run('workers/main.ts', env);
  await stage.run('api/main.ts', env);
  await untilItAnswers(`${api}/ready`);
  const branch = { ...beside, env: { ...beside.env, ...env } };
  const config = loadConfig(beside.env);
  const processes = connectTemporal(config, createCipher(config.ENCRYPTION_KEYS));
  const customer = await makeCaller(branch);
  const admin = await makeCaller(branch, ['transfers:review']);
  const accounts = await openAccounts(branch, customer, ACCOUNTS);
  const [locked, ...others] = accounts;
  if (locked === undefined) throw new Error('no accounts');
  // the account that is locked is locked by a connection of its own
  const [owner, watcher] = [new pg.Client(beside.ownerUrl), new pg.Client(beside.ownerUrl)];
  for (const client of [owner, watcher]) {
    await client.connect();
    client.on('error', () => undefined);
  }
  // a rail that takes payments at all hours
  await owner.query(
    `with type as (insert into transfer_types (code, name, reach) values ('bench', 'Open at all hours', 'sepa') returning code)
     insert into transfer_type_currencies (type_code, asset, approval_above) select code, 'EUR', 100000000 from type`,
  );

  const pay = async (from: AccountId, more: object): Promise<number> => {
    const body = { source_account_id: from, amount: { amount: '0.01', currency: 'EUR' }, ...more };
    const headers = {
      authorization: `Bearer ${await customer.freshToken()}`,
      'idempotency-key': randomUUID(),
      'x-step-up-token': await customer.stepUp(body),
    };
    return (await call(new URL('/v1/transfers', api), headers, body)).status;
  };

  const outages: Outage[] = [
    {
      name: 'Temporal away',
      reach: 'transfers',
      begin() {
        temporal.shut();
        return Promise.resolve(async () => {
          temporal.open();
          await untilItAnswers(`${api}/ready`);
        });
      },
    },
    {
      name: 'mail silent',
      reach: 'transfers and decisions',
      async begin() {
        mail.silence();
        await queueMails(branch.env);
        return () => Promise.resolve(mail.open());
      },
    },
    {
      name: 'store hung',
      reach: 'transfers and decisions',
      async begin() {
        store.silence();
        const payee = { iban: 'FR1420041010050500013M02606', name: 'Hélène Müller' };
        for (let payments = 0; payments < WAITING; payments++)
          await pay(customer.source, { type: 'bench', destination: payee });
        return () => Promise.resolve(store.open());
      },
    },
    {
      name: 'one account locked',
      reach: 'transfers and decisions',
      async begin() {
        await owner.query('begin');
        await owner.query('select from accounts where id = $1 for update', [locked]);
        let over = false;
        // who pays into the account is told to come again, and does
        const payers = others.slice(0, AT_THE_LOCK).map(async (from) => {
          while (!over) await pay(from, { destination: { account_id: locked } });
        });
        return async () => {
          over = true;
          await owner.query('rollback');
          await Promise.all(payers);
        };
      },
    },
  ];
  return {
    ...{ api, customer, admin, outages },
    accounts: others.slice(AT_THE_LOCK),
    async started(transfers) {
      await outboxEmpty(watcher);
      await atRest(
        processes,
        transfers.map((id) => `transfer/${id}`),
      );
    },
    close: async () => {
      await Promise.all([customer.close(), admin.close(), owner.end(), watcher.end()]);
      await Promise.all([processes.close(), temporal.close(), mail.close(), store.close()]);
    },
  };
}

/** Mails that wait for the mail server. */
async function queueMails(env: NodeJS.ProcessEnv): Promise<void> {
  const config = loadConfig(env);
  const orm = openOrm(config);
  const cipher = createCipher(config.ENCRYPTION_KEYS);
  await orm.em.fork().transactional(async (tx) => {
    for (let mails = 0; mails < WAITING; mails++)
      await notify(tx, cipher, {
        ...{ userId: null, to: { email: `hangs-${randomUUID()}@bench.test` } },
        ...{ type: 'address_taken', locale: 'en', values: {} },
      });
  });
  await orm.close(true);
}
