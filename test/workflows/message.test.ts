/** The process of a message of the release before: delivered, delivered later, or given up; what is left of it; and that saved runs still replay. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { pino } from 'pino';
import { messageActivities } from '../../activities/messages.ts';
import type { MessageActivities } from '../../workflows/message/workflow.ts';
import { createCipher } from '../../adapters/cipher.ts';
import { createMail, smsByMail } from '../../adapters/mail.ts';
import { loadConfig } from '../../config.ts';
import type { MessageChannel } from '../../domain/notifications/messages.ts';
import { type MessageOrder } from '../../workflows/message/contract.ts';
import { messageProcess } from '../../workflows/message/process.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { ownBank } from '../support/stack/database.ts';
import { earlierMessage } from '../support/processes/earlier-message.ts';
import { clearTextOf } from '../support/processes/clear-text.ts';
import { openGate, type Gate } from '../support/stack/gate.ts';
import { countMailsTo, mailboxOf } from '../support/stack/inbox.ts';
import { newPhone } from '../support/bank/people.ts';
import {
  openProcessWorld,
  replay,
  savedHistories,
  type ProcessWorld,
} from '../support/processes/process-world.ts';
import { until } from '../support/stack/processes.ts';
import { startRefusingServer } from '../support/stack/smtp.ts';
import { stack } from '../support/stack/stack.ts';

const CODE = '735911';

const config = loadConfig(stack.serviceEnv);
const cipher = createCipher(config.ENCRYPTION_KEYS);
let books: Books;
let gate: Gate;
let world: ProcessWorld;
let logged = '';

beforeAll(async () => {
  books = openBooks(await ownBank());
  gate = await openGate(new URL(config.SMTP_URL));
  world = await openProcessWorld(activities(`smtp://127.0.0.1:${String(gate.port)}`), books.em);
});
afterAll(async () => {
  await world.close();
  await gate.close();
  await books.close();
});

/** The activities of a worker whose mail goes out through this server. */
function activities(smtpUrl: string): MessageActivities {
  const mail = createMail({ ...config, SMTP_URL: smtpUrl });
  const lines = new PassThrough().on('data', (chunk: Buffer) => (logged += chunk.toString()));
  const sms = smsByMail(mail, config.SMS_MAIL_DOMAIN);
  return messageActivities({ em: books.em, cipher, mail, sms, log: pino(lines), config });
}

interface Queued extends MessageOrder {
  readonly to: string;
}

/** A login code that waits for its process, which the test starts. */
async function queued(
  channel: MessageChannel = 'email',
  to = `lovelace-${randomUUID()}@mail.test`,
): Promise<Queued> {
  const userId = await books.user();
  const values = { code: CODE, minutes: '5' };
  const template = 'login_code';
  const id = await earlierMessage(books.em(), cipher, { userId, channel, to, template, values });
  return { id, userId, channel, template, deliverWithinSeconds: 300, to };
}

const start = (message: Queued): Promise<void> => {
  const { to: _to, ...order } = message;
  return world.start(messageProcess, order);
};
const outcome = ({ id }: Queued): Promise<unknown> =>
  world.env.client.workflow.getHandle(`message/${id}`).result();
const stored = async ({ id }: Queued) =>
  (await books.asOwner('select * from messages where id = $1', [id]))[0];
const attempts = async (message: Queued): Promise<number> => Number((await stored(message))?.['attempts']);
test('delivered at once: it arrives, and its row forgets what it held', async () => {
  const message = await queued();
  expect(await stored(message)).toMatchObject({ status: 'queued', sealed_content: expect.any(Buffer) });
  await start(message);
  expect(await outcome(message)).toBe('delivered');
  const mail = await mailboxOf(message.to).next();
  expect(mail.text).toContain(CODE);
  expect(mail.subject).not.toContain(CODE);
  expect(await stored(message)).toMatchObject({ status: 'delivered', sealed_content: null, attempts: 1 });
  expect(await world.status(`message/${message.id}`)).toBe('delivered');
  await world.save(`message/${message.id}`, 'message', 'delivered');
});

test('a text message reaches its number', async () => {
  const { number, mail } = newPhone();
  const message = await queued('sms', number);
  await start(message);
  expect(await outcome(message)).toBe('delivered');
  expect((await mail.next()).text).toContain(CODE);
});

test('cancelling the run changes nothing: it is delivered, and forgotten', async () => {
  const message = await queued();
  gate.shut();
  await start(message);
  await until(async () => (await attempts(message)) >= 1);
  await world.env.client.workflow.getHandle(`message/${message.id}`).cancel();
  gate.open();
  expect(await outcome(message)).toBe('delivered');
  expect(await stored(message)).toMatchObject({ sealed_content: null });
});

test('while the mail server is away it is tried again, and delivered once when it is back', async () => {
  const message = await queued();
  gate.shut();
  await start(message);
  await until(async () => (await attempts(message)) >= 2);
  expect(await stored(message)).toMatchObject({ status: 'queued' });
  gate.open();
  expect(await outcome(message)).toBe('delivered');
  expect(await countMailsTo(message.to, 1)).toBe(1);
  expect(await stored(message)).toMatchObject({ status: 'delivered', sealed_content: null });
  await world.save(`message/${message.id}`, 'message', 'delivered later');
});

test('once its time is over it is given up, erased, and never sent', async () => {
  const message = await queued();
  gate.shut();
  await start(message);
  await until(async () => (await attempts(message)) >= 1);
  await world.pass(message.deliverWithinSeconds - 60);
  expect(await stored(message)).toMatchObject({ status: 'queued' });
  expect(await outcome(message)).toBe('failed');
  gate.open();
  expect(await stored(message)).toMatchObject({ status: 'failed', sealed_content: null });
  expect(await world.status(`message/${message.id}`)).toBe('failed');
  expect(await countMailsTo(message.to, 0)).toBe(0);
  await world.save(`message/${message.id}`, 'message', 'given up');
});

test('one whose process starts too late is not sent: an old code would only confuse', async () => {
  const message = await queued();
  await books.asOwner(
    'update messages set created_at = created_at - make_interval(secs => $2) where id = $1',
    [message.id, message.deliverWithinSeconds + 1],
  );
  await start(message);
  expect(await outcome(message)).toBe('failed');
  expect(await stored(message)).toMatchObject({ status: 'failed', sealed_content: null, attempts: 0 });
  expect(await countMailsTo(message.to, 0)).toBe(0);
});

test('a recipient refused for good is not tried again, and the log does not say who it was', async () => {
  const message = await queued();
  const refusing = await startRefusingServer();
  logged = '';
  expect(await activities(refusing.url).deliverMessage(message.id)).toBe('failed');
  await refusing.close();
  expect(await stored(message)).toMatchObject({ status: 'failed', sealed_content: null, attempts: 1 });
  expect(logged).toContain(message.id);
  expect(logged).not.toContain(message.to);
  await start(message);
  expect(await outcome(message)).toBe('failed');
  expect(await countMailsTo(message.to, 0)).toBe(0);
});

test('a delivery that is repeated sends nothing more', async () => {
  const message = await queued();
  await start(message);
  await outcome(message);
  expect(await activities(config.SMTP_URL).deliverMessage(message.id)).toBe('delivered');
  expect(await activities(config.SMTP_URL).giveUpMessage(message.id)).toBe('delivered');
  expect(await countMailsTo(message.to, 1)).toBe(1);
});

test('what was sealed for one row cannot be sent from another', async () => {
  const [mine, stolen] = [await queued(), await queued()];
  await books.asOwner(
    'update messages set sealed_content = (select sealed_content from messages where id = $2) where id = $1',
    [mine.id, stolen.id],
  );
  await start(mine);
  expect(await outcome(mine)).toBe('failed');
  expect(await countMailsTo(mine.to, 0)).toBe(0);
  expect(await countMailsTo(stolen.to, 0)).toBe(0);
});

test('neither row nor history holds recipient or code in clear, also where deliveries fail', async () => {
  const message = await queued();
  const sealed = (await stored(message))?.['sealed_content'];
  expect(sealed).toBeInstanceOf(Buffer);
  gate.shut();
  await start(message);
  await until(async () => (await attempts(message)) >= 1);
  gate.open();
  expect(await outcome(message)).toBe('delivered');
  const clear = await clearTextOf(world, `message/${message.id}`);
  for (const secret of [message.to, 'lovelace', CODE]) {
    expect(clear).not.toContain(secret);
    expect(String(sealed)).not.toContain(secret);
  }
});

describe('saved runs of message', () => {
  test.each(savedHistories('message'))('replay: $why', async ({ history }) => {
    await replay(history);
  });
});
