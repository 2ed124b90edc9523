/** What waits is not forgotten if an operator has ended its process: its time, or the next decision, moves it on all the same. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { pino } from 'pino';
import { createCipher, type Cipher } from '../../adapters/cipher.ts';
import { createProcesses } from '../../services/platform/processes.ts';
import { connectTemporal } from '../../adapters/temporal.ts';
import { loadConfig } from '../../config.ts';
import { TransferId } from '../../domain/ids.ts';
import type { EntityManager } from '@mikro-orm/postgresql';
import { openOrm } from '../../db/orm.ts';
import { processWatch } from '../../workers/process-watch.ts';
import { TransferAnswer, type Bank } from '../support/bank/bank.ts';
import { allItems, newKey } from '../support/client.ts';
import { earlierMessage } from '../support/processes/earlier-message.ts';
import { openBranch, type Branch } from '../support/stack/branch.ts';
import { until } from '../support/stack/processes.ts';
import { stack } from '../support/stack/stack.ts';
import { files } from '../support/formats/files.ts';
import { openDesk, putFile, supporter } from '../support/bank/desk.ts';
import { mailboxOf } from '../support/stack/inbox.ts';
import { approvalRunsOut } from '../support/bank/decisions.ts';
import { pay, transferType } from '../support/bank/transfers.ts';

let branch: Branch;
let bank: Bank;
let look: () => Promise<void>;
let em: () => EntityManager;
let cipher: Cipher;
let close: () => Promise<unknown>;
beforeAll(async () => {
  branch = await openBranch();
  await Promise.all([branch.startApi(), branch.startWorker()]);
  ({ bank } = branch);
  const config = loadConfig(branch.env);
  const orm = openOrm(config);
  const log = pino({ level: 'silent' });
  em = () => orm.em.fork();
  cipher = createCipher(config.ENCRYPTION_KEYS);
  const temporal = connectTemporal(config, cipher);
  look = processWatch({ em, log, config, processes: createProcesses({ temporal, config, log, em }) }, 0);
  close = () => Promise.all([temporal.close(), orm.close(true)]);
});
afterAll(async () => {
  await close();
  await bank.expectBooksBalanced();
  await branch.close();
});

/** The outbox starts what was asked for a moment ago. */
const terminateStarted = (workflowId: string): Promise<void> =>
  until(() =>
    terminate(workflowId).then(
      () => true,
      () => false,
    ),
  );

async function terminate(workflowId: string): Promise<void> {
  const connection = await Connection.connect({ address: stack.temporal.address });
  const { workflow } = new Client({ connection, namespace: stack.temporal.namespace });
  try {
    await workflow.getHandle(workflowId).terminate('by a test');
  } finally {
    await connection.close();
  }
}

/** False while the process still waits in the outbox. */
const terminated = (workflowId: string): Promise<boolean> =>
  terminate(workflowId).then(
    () => true,
    () => false,
  );

/** A transfer whose process was terminated before its approval ran out. */
async function lostWhileItWaits() {
  const type = await transferType(bank, { approvalAbove: 0 });
  const customer = await bank.customer();
  const [from, to] = [await bank.fundedAccount(customer, '10.00'), await bank.account(customer)];
  const answer = await pay(customer, { type, from: from.id, to: { account_id: to.id }, amount: '4.00' });
  const { id } = answer.as(TransferAnswer);
  await terminateStarted(`transfer/${id}`);
  // whoever has started it says so a moment later, and forgets then that a start was refused
  const waiting = () => bank.asOwner('select from process_outbox where workflow_id = $1', [`transfer/${id}`]);
  await until(async () => (await waiting()).length === 0);
  await approvalRunsOut(bank, TransferId.parse(id));
  /** The watch has looked, and nothing is held any more. */
  async function isFree(): Promise<boolean> {
    await look();
    return (await bank.look(customer, from)).held.amount === '0.00';
  }
  return { id, customer, isFree };
}

test('a lost process is begun again once its time is over, and lets the money go', async () => {
  const { id, customer, isFree } = await lostWhileItWaits();
  await until(isFree);
  const seen = await customer.client.call('GET', `/v1/transfers/${id}`, { token: customer.token });
  expect(seen.body).toMatchObject({ status: 'expired' });
});

test('a late process that Temporal refuses is put off and shown to operators, and its money goes once Temporal takes it', async () => {
  const { id, isFree } = await lostWhileItWaits();
  const elsewhere = await lookInto('no-such-namespace');
  const refused = () =>
    bank.asOwner('select failure, attempts from refused_starts where workflow_id = $1', [`transfer/${id}`]);
  await until(async () => {
    await elsewhere.look();
    return (await refused()).length > 0;
  });
  expect(await refused()).toEqual([{ failure: 'NamespaceNotFoundError', attempts: 1 }]);
  await elsewhere.look();
  expect(await refused()).toMatchObject([{ attempts: 1 }]);
  await elsewhere.close();
  const admin = await bank.admin('processes:read');
  const list = await allItems(admin.client, '/v1/admin/processes/refused', admin);
  expect(list).toContainEqual(
    expect.objectContaining({ workflow_id: `transfer/${id}`, attempts: 1, set_aside: false }),
  );

  await bank.asOwner('update refused_starts set due_at = now()');
  await until(isFree);
  await until(async () => {
    await look();
    return (await refused()).length === 0;
  });
});

/** The watch of a worker that is connected to this namespace. */
async function lookInto(
  namespace: string,
): Promise<{ look: () => Promise<void>; close: () => Promise<void> }> {
  const config = { ...loadConfig(branch.env), TEMPORAL_NAMESPACE: namespace };
  const log = pino({ level: 'silent' });
  const temporal = connectTemporal(config, cipher);
  const processes = createProcesses({ temporal, config, log, em });
  return { look: processWatch({ em, log, config, processes }, 0), close: () => temporal.close() };
}

/** A transfer that a flag holds, its process gone. */
async function heldAndLost(): Promise<{ from: string; goesOn: () => Promise<boolean> }> {
  const customer = await bank.customer();
  const [from, to] = [await bank.fundedAccount(customer, '10.00'), await bank.account(customer)];
  await bank.asOwner(`select account_flag($1, null, 'many small credits', false)`, [from.id]);
  const answer = await pay(customer, { from: from.id, to: { account_id: to.id }, amount: '4.00' });
  await terminateStarted(`transfer/${answer.as(TransferAnswer).id}`);
  return {
    from: from.id,
    goesOn: async () => (await bank.look(customer, to)).balance.amount === '4.00',
  };
}

test('what a flag held goes on when it is cleared, though its process is gone', async () => {
  const { from, goesOn } = await heldAndLost();
  const officer = await bank.admin('aml:review');
  const cleared = await officer.client.call('POST', `/v1/admin/accounts/${from}/aml-flag/clear`, {
    token: officer.token,
    key: newKey(),
    body: { reason: 'invoices were shown' },
  });
  expect(cleared.status).toBe(200);
  await until(goesOn);
});

test('what a flag held is found where the word that it is cleared was lost too, and not before', async () => {
  const { from, goesOn } = await heldAndLost();
  const officer = await bank.admin('aml:review');
  await look();
  await bank.asOwner(`select account_clear_flag($1, $2, 'invoices were shown')`, [from, officer.id]);
  expect(await goesOn()).toBe(false);
  await until(async () => {
    await look();
    return goesOn();
  });
});

describe('a ticket whose process is lost', () => {
  const openTicket = async () => {
    const desk = openDesk(branch.env);
    const place = await desk.open(await bank.customer());
    // its process may still wait in the outbox
    await until(() => terminated(`ticket/${place.ticketId}`));
    return { desk, ...place };
  };

  test('is closed by an administrator at the first attempt', async () => {
    const { desk, person, ticketId } = await openTicket();
    const support = await supporter(bank);
    const closed = await desk.post(support, `/v1/admin/tickets/${ticketId}/close`, { reason: 'solved' });
    expect(closed).toMatchObject({ status: 200, body: { status: 'closed' } });
    expect(await desk.see(person, ticketId)).toMatchObject({ status: 'closed', close_reason: 'solved' });
    const again = await desk.post(support, `/v1/admin/tickets/${ticketId}/close`, {});
    expect(again).toMatchObject({ status: 409, body: { code: 'ticket_closed' } });
  });

  test('closes by itself once it has waited for its customer too long, and not before', async () => {
    const { desk, person, ticketId } = await openTicket();
    await bank.asOwner(`update tickets set status = 'waiting_for_customer' where id = $1`, [ticketId]);
    await look();
    expect(await desk.see(person, ticketId)).toMatchObject({ status: 'waiting_for_customer' });
    await bank.asOwner(`update tickets set last_activity_at = now() - interval '15 days' where id = $1`, [
      ticketId,
    ]);
    await until(async () => {
      await look();
      return (await desk.see(person, ticketId)).status === 'closed';
    });
  });
});

describe('an upload whose process is lost', () => {
  const openUpload = async () => {
    const desk = openDesk(branch.env);
    const place = await desk.open(await bank.customer());
    const upload = await desk.ask(place);
    expect(await putFile(upload, files.pdf)).toBe(200);
    await until(() => terminated(`upload/${upload.document_id}`));
    return { desk, place, upload };
  };

  test('is confirmed', async () => {
    const { desk, place, upload } = await openUpload();
    expect(await desk.confirm(place, upload)).toMatchObject({ status: 200, body: { status: 'confirmed' } });
    expect(await desk.holds(upload)).toBe(true);
  });

  test('expires, and what nobody has confirmed is removed from the store', async () => {
    const { desk, place, upload } = await openUpload();
    await bank.asOwner(
      `update uploads set created_at = now() - interval '1 hour', expires_at = now() - interval '1 minute' where id = $1`,
      [upload.document_id],
    );
    await until(async () => {
      await look();
      return !(await desk.holds(upload));
    });
    expect(await desk.confirm(place, upload)).toMatchObject({
      status: 409,
      body: { code: 'upload_expired' },
    });
  });
});

test('a message of the release before whose process is lost is delivered, and erased from its row', async () => {
  const to = `lost-${newKey()}@mail.test`;
  // as on a Temporal restored from an older state: it is neither to be started nor known
  const id = await earlierMessage(em(), cipher, {
    userId: null,
    channel: 'email',
    to,
    template: 'address_taken',
    values: {},
  });
  const mail = mailboxOf(to).next();
  await until(async () => {
    await look();
    const [message] = await bank.asOwner('select status, sealed_content from messages where id = $1', [id]);
    return message?.['status'] === 'delivered' && message['sealed_content'] === null;
  });
  expect((await mail).subject).not.toBe('');
});
