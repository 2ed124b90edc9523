/** What API and workers log of a request and its process. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import type { Person } from '../support/bank/bank.ts';
import { approvedTransfer } from '../support/bank/transfers.ts';
import { newKey } from '../support/client.ts';
import { openBranch, type Branch } from '../support/stack/branch.ts';
import { freePort, until } from '../support/stack/processes.ts';

/** Of pino; production logs what is above it. */
const DEBUG = 20;
const Line = z.looseObject({ level: z.number(), msg: z.string() });
type Line = z.output<typeof Line>;
const Made = z.looseObject({ id: z.uuid() });

let branch: Branch;
let customer: Person;
beforeAll(async () => {
  // nobody listens there: every mail fails
  const SMTP_URL = `smtp://127.0.0.1:${String(await freePort())}`;
  // the level of production, and below it what is asked for when somebody looks for a fault
  branch = await openBranch({ settings: { LOG_LEVEL: 'debug', SMTP_URL } });
  await Promise.all([branch.startApi(), branch.startWorker()]);
  customer = await branch.bank.customer();
});
afterAll(() => branch.close());

/** Lines that hold this id, at the level that production has. */
function lines(part: 'api' | 'worker', id: string): Line[] {
  return allLines(part, id).filter(({ level }) => level > DEBUG);
}

/** The same with those of the level `debug`; a line that is still being written is not one yet. */
function allLines(part: 'api' | 'worker', id: string): Line[] {
  return branch
    .log(part)
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{') && line.includes(id))
    .map((line) => Line.parse(JSON.parse(line)));
}

const isStart = ({ msg }: Line): boolean => msg === 'a process was started';

test('a transfer that waited leads from the access log to the end of its process', async () => {
  const { bank } = branch;
  const { id, ordered, decided } = await approvedTransfer(bank, customer);
  const workflowId = `transfer/${id}`;
  // a line about a request is written once its answer has gone out
  await until(() => lines('api', decided).some(({ msg }) => msg === 'request'));
  await until(() => lines('api', ordered).some(({ msg }) => msg === 'request'));
  // the API starts it as it answers; where its worker looks for what waits at that moment, it may be first
  const started = () => (['api', 'worker'] as const).flatMap((part) => lines(part, ordered).filter(isStart));
  await until(() => started().length > 0);
  await until(() => lines('worker', workflowId).some((line) => !isStart(line)));

  expect(lines('api', ordered).filter((line) => !isStart(line))).toEqual([
    expect.objectContaining({ msg: 'request', operation: 'createTransfer', resource: id, status: 201 }),
  ]);
  expect(started()).toEqual([
    expect.objectContaining({ msg: 'a process was started', workflowId, requestId: ordered }),
  ]);
  expect(lines('api', decided)).toContainEqual(
    expect.objectContaining({
      msg: 'request',
      operation: 'executePendingTransfer',
      resource: id,
      status: 200,
    }),
  );
  expect(lines('worker', workflowId).filter((line) => !isStart(line))).toEqual([
    expect.objectContaining({
      ...{ msg: 'a process has ended', workflowId, requestId: ordered },
      temporal: expect.objectContaining({ status: 'executed' }),
    }),
  ]);
  for (const msg of ['an activity begins', 'an activity has ended'])
    expect(allLines('worker', ordered)).toContainEqual(
      expect.objectContaining({ msg, activity: 'carryOutStep', workflowId, requestId: ordered }),
    );
});

test('a delivery that fails leaves a line with its attempt, its type and the fault, and names nobody', async () => {
  const { bank } = branch;
  const ticket = await customer.client.call('POST', '/v1/tickets', {
    ...{ token: customer.token, key: newKey() },
    body: { subject: 'for Ada', body: 'for Ada', category: 'other' },
  });
  const admin = await bank.admin('tickets:write');
  await admin.client.call('POST', `/v1/admin/tickets/${ticket.as(Made).id}/messages`, {
    ...{
      token: admin.token,
      key: newKey(),
      body: { body: 'We look, Ada.' },
    },
  });
  const failures = () => lines('worker', 'ticket_reply');
  await until(() => failures().length > 1);
  expect(failures()[0]).toMatchObject({
    ...{ msg: 'a delivery failed and will be retried', channel: 'email', attempts: 1 },
    err: { type: 'MailUnavailable', message: expect.stringMatching(/: E[A-Z]+$/) },
  });
  expect(failures()[1]).toMatchObject({ attempts: 2, deliveryId: failures()[0]?.['deliveryId'] });
});

test('no line names a person, nor what people wrote', () => {
  for (const part of ['api', 'worker'] as const)
    expect(branch.log(part)).not.toMatch(/Ada|@bank\.test|Test Person/);
});
