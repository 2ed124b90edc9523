/** On which channels a person is told, and that what is mandatory reaches them on one of them whatever fails. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { endDelivery, putOffDelivery } from '../../../db/queries/notifications/deliveries.ts';
import { saveChoice } from '../../../db/queries/notifications/preferences.ts';
import type { UserId } from '../../../domain/ids.ts';
import type { Channel, DeliveryStatus, Lane } from '../../../domain/notifications/notifications.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { claim, deliveriesOf, happen, passLeases } from '../../support/bank/events.ts';
import { ownBank } from '../../support/stack/database.ts';

let books: Books;
beforeAll(async () => {
  books = openBooks(await ownBank());
});
afterAll(() => books.close());

const em = () => books.em();
const to = { email: 'before@books.test' };
const values = { at: '2026-03-01T09:30:00Z' };

const choose = (userId: UserId, typeCode: string, channel: Channel, enabled: boolean) =>
  saveChoice.run(em(), { userId, typeCode, channel, enabled });

async function withBrowser(): Promise<UserId> {
  const user = await books.user();
  await books.asOwner(
    `insert into push_subscriptions (user_id, endpoint_hash, host, sealed_target, key_version, created_at)
     values ($1, $2, 'push.example', '\\x00', 'v1', now())`,
    [user, randomBytes(32)],
  );
  return user;
}

/** How each delivery of somebody stands, by channel. */
async function standOf(user: UserId): Promise<Record<string, string>> {
  const found = Object.entries(await deliveriesOf(books, user));
  return Object.fromEntries(
    found.map(([channel, { status, reason }]) => [channel, `${String(status)} ${String(reason)}`]),
  );
}

/** Ends what waits for somebody on a channel, as a worker does. */
async function end(
  userId: UserId,
  channel: Channel,
  status: DeliveryStatus,
  reason: string | null = null,
): Promise<void> {
  await passLeases(books);
  const mine = (await claim(em())).find((each) => each.userId === userId && each.channel === channel);
  if (mine === undefined) throw new Error(`nothing waits by ${channel}`);
  expect((await endDelivery.one(em(), { ...mine, status, reason, providerId: null })).ended).toBe(true);
}

test('a notice about a login goes where its person wants it, at the address that was theirs', async () => {
  const user = await withBrowser();
  await choose(user, 'password_changed', 'sms', true);
  await happen(em(), user, { type: 'password_changed', to, values });
  const told = await deliveriesOf(books, user);
  expect(Object.keys(told).sort()).toEqual(['email', 'in_app', 'push', 'sms']);
  expect(Object.values(told).map(({ addressed }) => addressed)).toEqual([false, false, false, false]);
});

test.each(['email_changed', 'phone_changed', 'security_notices_off'])(
  '%s is told at the address before it, whatever is preferred, and wherever else it is wanted',
  async (type) => {
    const user = await withBrowser();
    await choose(user, type, 'email', false);
    await happen(em(), user, { type, to, values });
    expect(await deliveriesOf(books, user)).toMatchObject({
      email: { addressed: true },
      in_app: { addressed: false },
      push: { addressed: false },
    });
  },
);

test('what concerns an address only is told there and nowhere else', async () => {
  const user = await withBrowser();
  await happen(em(), user, { type: 'contact_wanted', to, values: {} });
  await happen(em(), user, { type: 'admin_invited', to, values: { code: '1', days: '3' } });
  expect(Object.keys(await deliveriesOf(books, user))).toEqual(['email']);
});

test.each<[DeliveryStatus, string]>([
  ['failed', 'refused'],
  ['unknown', 'worker_lost'],
  ['expired', 'too_late'],
  ['suppressed', 'no_address'],
  ['suppressed', 'bounced'],
])('a mandatory notice whose mail is %s as %s goes on by text message', async (status, reason) => {
  const user = await books.user();
  await happen(em(), user, { type: 'password_changed', to, values });
  await end(user, 'email', status, reason);
  expect((await standOf(user))['sms']).toBe('queued null');
});

test.each(['sms_cap_of_person', 'sms_cap_of_bank', 'costly_number', 'no_address'])(
  'whoever chose nothing but text messages reads a mandatory notice in the feed if that is %s',
  async (reason) => {
    const user = await books.user();
    for (const channel of ['in_app', 'email', 'push'] as const)
      await choose(user, 'payment_sent', channel, false);
    await choose(user, 'payment_sent', 'sms', true);
    await happen(em(), user, { type: 'payment_sent', values: { amount: '1.00 EUR' } });
    const unwanted = { in_app: 'suppressed preference', email: 'suppressed preference' };
    await end(user, 'in_app', 'suppressed', 'preference');
    await end(user, 'email', 'suppressed', 'preference');
    expect(await standOf(user)).toEqual({ ...unwanted, sms: 'queued null' });
    await end(user, 'sms', 'suppressed', reason);
    expect(await deliveriesOf(books, user)).toMatchObject({ in_app: { status: 'queued', addressed: true } });
    await end(user, 'in_app', 'sent');
    expect(await standOf(user)).toEqual({ ...unwanted, in_app: 'sent null', sms: `suppressed ${reason}` });
  },
);

test('a mandatory notice is in the feed if its type has lost the only channel that was wanted', async () => {
  const user = await books.user();
  for (const channel of ['in_app', 'push'] as const) await choose(user, 'factor_changed', channel, false);
  const allow = (channels: string) =>
    books.asOwner(
      `update notification_types set channels_allowed = $1, channels_default = '{in_app}' where code = 'factor_changed'`,
      [channels],
    );
  await allow('{in_app}');
  await happen(em(), user, { type: 'factor_changed', to, values });
  await end(user, 'in_app', 'suppressed', 'preference');
  expect(await standOf(user)).toEqual({ in_app: 'queued null' });
});

test('a mandatory notice without a feed goes to the address that was switched off', async () => {
  const user = await books.user();
  await books.asOwner(
    `update notification_types set channels_allowed = '{email, sms}', channels_default = '{sms}', enabled = true
      where code = 'crypto_withdrawal'`,
  );
  await choose(user, 'crypto_withdrawal', 'email', false);
  await happen(em(), user, { type: 'crypto_withdrawal', values: {} });
  await end(user, 'sms', 'failed', 'refused');
  expect(await deliveriesOf(books, user)).toMatchObject({ email: { status: 'queued', addressed: true } });
});

test('what is not mandatory, was stopped, or concerns somebody who is blocked is said nowhere else', async () => {
  const user = await books.user();
  await happen(em(), user);
  await end(user, 'email', 'failed', 'refused');
  expect(Object.keys(await standOf(user)).sort()).toEqual(['email', 'in_app']);
  const stopped = await books.user();
  await happen(books.em(), stopped, { type: 'payment_sent', values: { amount: '1.00 EUR' } });
  await end(stopped, 'email', 'suppressed', 'stopped');
  expect(Object.keys(await standOf(stopped)).sort()).toEqual(['email', 'in_app']);
  const blocked = await books.user();
  await happen(em(), blocked, { type: 'payment_sent', values: { amount: '1.00 EUR' } });
  await end(blocked, 'email', 'suppressed', 'blocked');
  expect(Object.keys(await standOf(blocked)).sort()).toEqual(['email', 'in_app']);
});

test('a mandatory notice whose server stays away is said on the next channel too, and a code is not', async () => {
  const [user, other] = [await books.user(), await books.user()];
  const putOff = async (person: UserId, lane: Lane = 'common'): Promise<void> => {
    await passLeases(books);
    const mine = (await claim(em(), lane)).find((each) => each.userId === person && each.channel === 'email');
    if (mine === undefined) throw new Error('nothing waits');
    const { id, claim: fence } = mine;
    const away = { id, claim: fence, seconds: 1, reason: 'provider_away' };
    expect(await putOffDelivery.one(em(), away)).toEqual({ waits: true });
  };
  await happen(em(), user, { type: 'password_changed', to, values });
  await happen(em(), other, { type: 'step_up_code', to, values: { code: '1', minutes: '5' } });
  await putOff(user);
  expect(Object.keys(await standOf(user)).sort()).toEqual(['email', 'in_app']);
  await books.asOwner(
    `update notification_deliveries d set created_at = now() - interval '20 minutes'
      from notifications n where n.id = d.notification_id and n.user_id = any($1)`,
    [[user, other]],
  );
  await putOff(user);
  await putOff(user);
  await putOff(other, 'codes');
  expect(await standOf(user)).toMatchObject({ email: 'queued provider_away', sms: 'queued null' });
  expect(await standOf(other)).toEqual({ email: 'queued provider_away' });
});
