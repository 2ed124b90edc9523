/** One event tells a person once, on each channel once, whoever writes it again and whichever worker dies. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eraseEvents } from '../../../db/queries/notifications/bounces.ts';
import {
  endDelivery,
  loseDeliveries,
  putOffDelivery,
  type ClaimedDelivery,
} from '../../../db/queries/notifications/deliveries.ts';
import { tellEvents } from '../../../db/queries/notifications/events.ts';
import { saveChoice } from '../../../db/queries/notifications/preferences.ts';
import type { UserId } from '../../../domain/ids.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import {
  begin,
  claim,
  cipher,
  deliveriesOf,
  happen,
  newEvent,
  passLeases,
  show,
} from '../../support/bank/events.ts';
import { tell } from '../../../services/notifications/events.ts';
import { ownBank } from '../../support/stack/database.ts';

let books: Books;
beforeAll(async () => {
  books = openBooks(await ownBank());
});
afterAll(() => books.close());

const em = () => books.em();
const sent = { status: 'sent', reason: null, providerId: 'x' } as const;

/** What one person is told, claimed. */
async function claimedFor(user: UserId, channel: string): Promise<ClaimedDelivery> {
  const found = (await claim(em())).find((each) => each.userId === user && each.channel === channel);
  if (found === undefined) throw new Error(`nothing was claimed by ${channel}`);
  return found;
}

async function contentOf(user: UserId): Promise<unknown> {
  return (await books.asOwner('select sealed_content from events where user_id = $1', [user]))[0]?.[
    'sealed_content'
  ];
}

test('a hundred copies of one event at once make one notification with one delivery a channel', async () => {
  const [user, eventId] = [await books.user(), newEvent()];
  const written = await Promise.all(Array.from({ length: 100 }, () => happen(em(), user, { eventId })));
  expect(written.filter(Boolean)).toHaveLength(1);
  const told = await books.asOwner('select 1 from notifications where user_id = $1', [user]);
  expect(told).toHaveLength(1);
  expect(Object.keys(await deliveriesOf(books, user)).sort()).toEqual(['email', 'in_app']);
});

test('a second notification of an event, and a second delivery on a channel, are refused by the database', async () => {
  const [user, eventId] = [await books.user(), newEvent()];
  await happen(em(), user, { eventId });
  await expect(
    books.asOwner(
      `insert into notifications (event_id, user_id, type_code, locale, created_at) values ($1, $2, 'ticket_reply', 'en', now())`,
      [eventId, user],
    ),
  ).rejects.toMatchObject({ constraint: 'notifications_once' });
  await expect(
    books.asOwner(
      `insert into notification_deliveries (notification_id, channel, lane, addressed, created_at, due_at, expires_at)
       select id, 'email', 'common', false, now(), now(), now() from notifications where event_id = $1`,
      [eventId],
    ),
  ).rejects.toMatchObject({ constraint: 'notification_deliveries_once' });
});

test('an event whose transaction is rolled back has told nobody', async () => {
  const user = await books.user();
  const undone = em().transactional(async (tx) => {
    const told = {
      eventId: newEvent(),
      userId: user,
      type: 'ticket_reply',
      locale: 'en',
      values: { number: 'T-1' },
    };
    await tell(tx, cipher, told);
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect(await deliveriesOf(books, user)).toEqual({});
});

test('an event is written in a transaction, and of a type that exists', async () => {
  const told = { eventId: newEvent(), userId: null, type: 'ticket_reply', locale: 'en', values: {} };
  await expect(tell(em(), cipher, told)).rejects.toThrow('in the transaction of its cause');
  await expect(happen(em(), await books.user(), { type: 'no_such_type' })).rejects.toThrow(
    /no notification type/,
  );
});

test('of a type that is switched off the event is kept, without what it held, and nobody is told', async () => {
  const user = await books.user();
  expect(await happen(em(), user, { type: 'crypto_withdrawal', values: {} })).toBe(true);
  expect(await deliveriesOf(books, user)).toEqual({});
  expect(await contentOf(user)).toBeNull();
});

test('an event that names its address goes there and into the feed, and a code goes there only', async () => {
  const [user, other] = [await books.user(), await books.user()];
  await happen(em(), user, { type: 'email_changed', to: { email: 'old@books.test' }, values: { at: 'now' } });
  expect(await deliveriesOf(books, user)).toMatchObject({
    email: { addressed: true },
    in_app: { addressed: false },
  });
  await happen(em(), other, {
    type: 'login_code',
    to: { sms: '+4915112345678' },
    values: { code: '1', minutes: '5' },
  });
  expect(await deliveriesOf(books, other)).toMatchObject({ sms: { lane: 'codes', addressed: true } });
});

test('a code never reaches the feed, even of a type that came to allow it', async () => {
  const user = await books.user();
  const switched = (how: string) => books.asOwner(`alter table notification_types ${how} trigger user`);
  const allow = (channels: string) =>
    books.asOwner(`update notification_types set channels_allowed = $1 where code = 'password_reset'`, [
      channels,
    ]);
  await switched('disable');
  await allow('{email, in_app, push}');
  try {
    const code = { type: 'password_reset', values: { code: '1', minutes: '5' } };
    await happen(em(), user, { ...code, to: { email: 'x@books.test' } });
    await happen(em(), user, code);
    expect(Object.keys(await deliveriesOf(books, user))).toEqual(['email']);
  } finally {
    await allow('{email}');
    await switched('enable');
  }
});

test('an event that nobody is told of keeps nothing of what it held', async () => {
  const user = await books.user();
  const email = (on: boolean) =>
    books.asOwner(
      `update notification_types set channels_allowed = $1, channels_default = $2 where code = 'ticket_closed'`,
      ['{email}', on ? '{email}' : '{}'],
    );
  await books.asOwner('alter table notification_types disable trigger user');
  try {
    await email(false);
    await books.asOwner(`update notification_types set enabled = true where code = 'ticket_closed'`);
    await happen(em(), user, { type: 'ticket_closed', values: { number: 'T-1' } });
    expect(await deliveriesOf(books, user)).toEqual({});
    expect(await contentOf(user)).toBeNull();
  } finally {
    await books.asOwner('alter table notification_types enable trigger user');
  }
});

test('two workers who claim at the same moment share the work', async () => {
  const users = await Promise.all(Array.from({ length: 20 }, () => books.user()));
  for (const user of users) await happen(em(), user);
  const claimed = (await Promise.all(Array.from({ length: 4 }, () => claim(em())))).flat();
  const ids = claimed.filter(({ userId }) => userId !== null && users.includes(userId)).map(({ id }) => id);
  expect(ids).toHaveLength(40);
  expect(new Set(ids).size).toBe(40);
});

test('the word of a worker who has lost its claim counts for nothing', async () => {
  const user = await books.user();
  await happen(em(), user);
  const slow = await claimedFor(user, 'email');
  await passLeases(books);
  const { id, claim: fence } = await claimedFor(user, 'email');
  expect(fence).not.toBe(slow.claim);
  expect(await begin(em(), slow)).toBe(false);
  expect(await begin(em(), { id, claim: fence })).toBe(true);
  const again = { id, claim: slow.claim, seconds: 1, reason: 'x_y' };
  expect(await putOffDelivery.one(em(), again)).toEqual({ waits: false });
  expect(await endDelivery.one(em(), { id, claim: slow.claim, ...sent })).toEqual({ ended: false });
  expect(await endDelivery.one(em(), { id, claim: fence, ...sent })).toEqual({ ended: true });
  expect(await endDelivery.one(em(), { id, claim: fence, ...sent })).toEqual({ ended: false });
});

test('a delivery that had begun when its worker died is never claimed again: it ends as unknown', async () => {
  const user = await books.user();
  await happen(em(), user);
  const { id, claim: fence } = await claimedFor(user, 'email');
  await begin(em(), { id, claim: fence });
  expect(await loseDeliveries.one(em(), { lanes: ['common'] })).toEqual({ count: 0 });
  await passLeases(books);
  expect((await claim(em())).map((each) => each.id)).not.toContain(id);
  await passLeases(books);
  const { count } = await loseDeliveries.one(em(), { lanes: ['common'] });
  expect(count).toBeGreaterThanOrEqual(1);
  expect(await deliveriesOf(books, user)).toMatchObject({
    email: { status: 'unknown', reason: 'worker_lost' },
  });
});

test('what a mandatory notice could not say by mail it says by text message, and a code never', async () => {
  const [user, other] = [await books.user(), await books.user()];
  await happen(em(), user, {
    type: 'password_changed',
    to: { email: 'gone@books.test' },
    values: { at: 'now' },
  });
  const mail = await claimedFor(user, 'email');
  await endDelivery.one(em(), { ...mail, status: 'failed', reason: 'refused', providerId: null });
  expect(await deliveriesOf(books, user)).toMatchObject({ sms: { status: 'queued', addressed: false } });
  await happen(em(), other, {
    type: 'login_code',
    to: { email: 'gone@books.test' },
    values: { code: '1', minutes: '5' },
  });
  const [code] = (await claim(em(), 'codes')).filter(({ userId }) => userId === other);
  await endDelivery.one(em(), {
    id: code?.id ?? mail.id,
    claim: code?.claim ?? '',
    status: 'failed',
    reason: 'refused',
    providerId: null,
  });
  expect(Object.keys(await deliveriesOf(books, other))).toEqual(['email']);
});

test('a mandatory notice takes the next channel if there is no address, and leaves out one that is switched off', async () => {
  const [user, other] = [await books.user(), await books.user()];
  const off = { userId: other, typeCode: 'password_changed', channel: 'sms', enabled: false } as const;
  await saveChoice.run(em(), off);
  for (const person of [user, other]) {
    await happen(em(), person, { type: 'password_changed', values: { at: 'now' } });
    const mail = await claimedFor(person, 'email');
    const none = { status: 'suppressed', reason: 'no_address', providerId: null } as const;
    await endDelivery.one(em(), { ...mail, ...none });
  }
  expect(await deliveriesOf(books, user)).toMatchObject({ sms: { status: 'queued' } });
  expect(Object.keys(await deliveriesOf(books, other)).sort()).toEqual(['email', 'in_app']);
});

test('what a code held is erased with its last delivery, also if two end at the same moment', async () => {
  const users = await Promise.all(Array.from({ length: 10 }, () => books.user()));
  const code = { type: 'login_code', values: { code: '1', minutes: '5' } };
  for (const user of users)
    await happen(em(), user, { ...code, to: { email: `${user}@books.test`, sms: '+4915112345678' } });
  const claimed = (await claim(em(), 'codes')).filter(
    ({ userId }) => userId !== null && users.includes(userId),
  );
  expect(claimed).toHaveLength(20);
  for (const user of users) expect(await contentOf(user)).toBeInstanceOf(Buffer);
  await Promise.all(
    claimed.map(({ id, claim: fence }) => endDelivery.one(em(), { id, claim: fence, ...sent })),
  );
  for (const user of users) expect(await contentOf(user)).toBeNull();
});

test('what a mail held is kept until it cannot come back any more, and then erased', async () => {
  const user = await books.user();
  await happen(em(), user);
  for (const { id, claim: fence, userId } of await claim(em()))
    if (userId === user) await endDelivery.one(em(), { id, claim: fence, ...sent });
  await eraseEvents.one(em(), { most: 1_000 });
  expect(await contentOf(user)).toBeInstanceOf(Buffer);
  await books.asOwner('alter table notification_deliveries disable trigger user');
  await books.asOwner(
    `update notification_deliveries d set expires_at = now() from notifications n where n.id = d.notification_id and n.user_id = $1`,
    [user],
  );
  await books.asOwner('alter table notification_deliveries enable trigger user');
  expect((await eraseEvents.one(em(), { most: 1_000 })).erased).toBeGreaterThanOrEqual(1);
  expect(await contentOf(user)).toBeNull();
});

test('how a delivery has ended stands, and nothing of it is deleted', async () => {
  const user = await books.user();
  await happen(em(), user);
  const { id, claim: fence } = await claimedFor(user, 'email');
  await endDelivery.one(em(), { id, claim: fence, ...sent });
  const ENDED = { code: '23001' };
  await expect(
    books.asOwner(`update notification_deliveries set attempts = 0 where id = $1`, [id]),
  ).rejects.toMatchObject(ENDED);
  await expect(books.asOwner(`delete from notifications where user_id = $1`, [user])).rejects.toMatchObject(
    ENDED,
  );
  await expect(books.asOwner(`delete from events where user_id = $1`, [user])).rejects.toMatchObject(ENDED);
});

test('a channel that was switched off after the event is not wanted any more when it is sent', async () => {
  const user = await books.user();
  await happen(em(), user);
  await saveChoice.run(em(), { userId: user, typeCode: 'ticket_reply', channel: 'email', enabled: false });
  expect(await claimedFor(user, 'email')).toMatchObject({ isUnwanted: true });
  expect((await deliveriesOf(books, user))['in_app']).toBeDefined();
  await saveChoice.run(em(), { userId: user, typeCode: 'ticket_reply', channel: 'sms', enabled: true });
  await happen(em(), user);
  expect(Object.keys(await deliveriesOf(books, user)).sort()).toEqual(['email', 'in_app', 'sms']);
});

test('what is shown counts as unread until it is read, once', async () => {
  const user = await books.user();
  const unread = async () =>
    Number(
      (await books.asOwner('select unread from notification_counts where user_id = $1', [user]))[0]?.[
        'unread'
      ] ?? 0,
    );
  for (let notices = 0; notices < 3; notices++) await happen(em(), user);
  const mine = (await claim(em())).filter(({ userId, channel }) => userId === user && channel === 'in_app');
  for (const each of mine) expect(await show(em(), each)).toBe(true);
  for (const each of mine) expect(await show(em(), each)).toBe(false);
  expect(await unread()).toBe(3);
  const read = `update notifications set read_at = now() where user_id = $1 and shown_at is not null and read_at is null`;
  await Promise.all([books.asOwner(read, [user]), books.asOwner(read, [user])]);
  expect(await unread()).toBe(0);
});

test.each([
  ['writes an event', `insert into events (type) values ('ticket_reply')`],
  [
    'tells somebody',
    `insert into notifications (event_id, type_code, locale) values (uuidv7(), 'ticket_reply', 'en')`,
  ],
  ['sends something again', `update notification_deliveries set status = 'queued'`],
  ['changes what the feed says', `update notifications set title = 'Pay here'`],
  ['changes a count', 'update notification_counts set unread = 0'],
  ['rewrites what a template has said', 'delete from notification_template_versions'],
])('the application’s role never %s outside of a function', async (_what, statement) => {
  await expect(em().getConnection().execute(statement)).rejects.toMatchObject({ code: '42501' });
});

test('of an event that waits people are told once, however many workers tell, and not if its cause is undone', async () => {
  const [payer, payee] = [await books.user(), await books.user()];
  const [from, to] = [await books.account(payer), await books.account(payee)];
  const waiting = async () =>
    (await books.asOwner('select type from events where user_id = $1 and waiting', [payer])).length;
  await books.fund(from, 5_000n);
  const adjusted = `insert into transfers (id, kind, status, requested_by, customer_id, source_account_id, destination_account_id,
      asset, amount, target_asset, target_amount, requires_approval, reason, transaction_id, finished_at)
    select uuidv7(), 'adjustment', 'executed', '${payer}', '${payer}', '${from}', '${to}', 'EUR', 1, 'EUR', 1, false, 'test',
        e.transaction_id, now() from ledger_entries e where e.account_id = '${from}' limit 1`;
  const undone = books.asOwner(`do $$ begin ${adjusted}; raise exception 'undone'; end $$`);
  await expect(undone).rejects.toThrow('undone');
  expect(await waiting()).toBe(0);
  await books.asOwner(adjusted);
  expect(await waiting()).toBe(1);
  const told = await Promise.all(Array.from({ length: 4 }, () => tellEvents.one(em(), { most: 50 })));
  expect(told.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThanOrEqual(1);
  expect(await waiting()).toBe(0);
  const rows = await books.asOwner('select type_code from notifications where user_id = $1', [payer]);
  expect(rows).toEqual([{ type_code: 'payment_sent' }]);
});
