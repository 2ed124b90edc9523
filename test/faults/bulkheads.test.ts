/** The mail server or the object store hangs: it holds every slot that waits for the outside, and none that money needs. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { createCipher } from '../../adapters/cipher.ts';
import { connectTemporal } from '../../adapters/temporal.ts';
import { loadConfig } from '../../config.ts';
import { openOrm } from '../../db/orm.ts';
import { notify } from '../../services/notifications/events.ts';
import { createProcesses } from '../../services/platform/processes.ts';
import { queues } from '../../domain/queues.ts';
import { slotsOf } from '../../workers/slots.ts';
import { TransferAnswer, type Person } from '../support/bank/bank.ts';
import { beginMovement } from '../support/processes/begin-movement.ts';
import { openBooks } from '../support/bank/books.ts';
import { openRailPayer } from '../support/bank/rail-payer.ts';
import { newKey, type Answered } from '../support/client.ts';
import { openBranch, type Branch } from '../support/stack/branch.ts';
import { openGate, type Gate } from '../support/stack/gate.ts';
import { until } from '../support/stack/processes.ts';
import { stack } from '../support/stack/stack.ts';

/** More than the outside has slots, and than all queues together. */
const MANY = 40;

let branch: Branch;
let mail: Gate;
let store: Gate;
let admin: Person;
beforeAll(async () => {
  [mail, store] = [await openGate(new URL(stack.smtpUrl)), await openGate(new URL(stack.storage.endpoint))];
  branch = await openBranch({
    settings: {
      SMTP_URL: `smtp://127.0.0.1:${String(mail.port)}`,
      S3_ENDPOINT: `http://127.0.0.1:${String(store.port)}`,
    },
  });
  await Promise.all([branch.startApi(), branch.startWorker()]);
  admin = await branch.bank.admin('transfers:review');
});
afterAll(async () => {
  mail.open();
  store.open();
  await branch.bank.expectBooksBalanced();
  await branch.close();
  await Promise.all([mail.close(), store.close()]);
});

const slotsOutside = (): number =>
  slotsOf(queues, loadConfig(branch.env).DATABASE_POOL_MAX).get('outside') ?? 0;

/** Large transfers, which wait for an administrator. */
async function waiting(count: number): Promise<string[]> {
  const { bank } = branch;
  const customer = await bank.customer();
  const [from, to] = [await bank.fundedAccount(customer, '100000.00'), await bank.account(customer)];
  const ids: string[] = [];
  while (ids.length < count) {
    const answer = await bank.transfer(customer, { from: from.id, to: to.id, amount: '15000.00' });
    expect(answer.body).toMatchObject({ status: 'pending_approval' });
    ids.push(answer.as(TransferAnswer).id);
  }
  return ids;
}

/** Asked once: an answer 503 would mean that the decision did not come through in its time. */
function decide(id: string, decision: 'execute' | 'reject'): Promise<Answered> {
  const body = decision === 'execute' ? {} : { reason: 'not known to the customer' };
  const call = { token: admin.token, key: newKey(), body };
  return admin.client.call('POST', `/v1/admin/transfers/${id}/${decision}`, call);
}

async function expectDecisionsCarriedOut(ids: string[]): Promise<void> {
  for (const [index, id] of ids.entries()) {
    const [decision, status] =
      index % 2 === 0 ? (['execute', 'executed'] as const) : (['reject', 'rejected'] as const);
    expect(await decide(id, decision)).toMatchObject({ status: 200, body: { status } });
  }
}

async function queueMails(): Promise<void> {
  const config = loadConfig(branch.env);
  const orm = openOrm(config);
  const cipher = createCipher(config.ENCRYPTION_KEYS);
  await orm.em.fork().transactional(async (tx) => {
    for (let mails = 0; mails < MANY; mails++)
      await notify(tx, cipher, {
        userId: null,
        to: { email: `hangs-${newKey()}@mail.test` },
        type: 'address_taken',
        locale: 'en',
        values: {},
      });
  });
  await orm.close(true);
}

async function count(sql: string): Promise<number> {
  return Number((await branch.bank.asOwner(sql))[0]?.['count']);
}

test('decisions on transfers are carried out while the mail server hangs and every mail waits for it', async () => {
  const ids = await waiting(4);
  mail.silence();
  await queueMails();
  // as many mails as the outside has slots wait for an answer that does not come
  await until(() => mail.standing() >= slotsOutside());
  await expectDecisionsCarriedOut(ids);
  // beside those of the payments themselves
  const hanging = `select count(*) from notification_deliveries d join notifications n on n.id = d.notification_id
      where d.status = 'queued' and n.type_code = 'address_taken'`;
  expect(await count(hanging)).toBe(MANY);
  mail.open();
  await until(
    async () => (await count(`select count(*) from notification_deliveries where status = 'queued'`)) === 0,
    200,
  );
}, 400_000);

test('decisions on transfers are carried out while the object store hangs and every payment waits for it', async () => {
  const ids = await waiting(4);
  const books = openBooks({
    url: branch.env['DATABASE_URL'] ?? '',
    ownerUrl: branch.env['DATABASE_OWNER_URL'] ?? '',
  });
  const config = loadConfig(branch.env);
  const temporal = connectTemporal(config, createCipher(config.ENCRYPTION_KEYS));
  const processes = createProcesses({ temporal, config, log: pino({ level: 'silent' }), em: books.em });
  const payer = await openRailPayer(books);
  store.silence();
  for (let payments = 0; payments < MANY; payments++)
    expect(await beginMovement(books, processes, payer.order(100n))).toEqual({ status: 'submitted' });
  await until(() => store.standing() >= slotsOutside());
  await expectDecisionsCarriedOut(ids);
  expect(await count('select count(*) from rail_payments where delivered_at is null')).toBeGreaterThanOrEqual(
    slotsOutside(),
  );
  store.open();
  await until(
    async () => (await count('select count(*) from rail_payments where delivered_at is not null')) === MANY,
    180,
  );
  await Promise.all([temporal.close(), books.close()]);
}, 360_000);
