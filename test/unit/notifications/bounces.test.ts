/** What a mail server's report means, and the addresses that reports come back to. */
import { expect, test } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { createCipher } from '../../../adapters/cipher.ts';
import { readDeliveryReport } from '../../../adapters/messages/delivery-report.ts';
import { createWindow } from '../../../adapters/messages/window.ts';
import { DeliveryId } from '../../../domain/ids.ts';
import { bounceOf, refusesAddress } from '../../../domain/notifications/bounces.ts';
import { bounceAddress, bouncedDelivery } from '../../../services/notifications/bounces/bounce-address.ts';

const key = (name: string) => `${name}:${randomBytes(32).toString('base64')}`;
const cipher = createCipher([key('a')]);

test.each([
  ['failed', '5.1.1', 'hard'],
  ['failed', '5.1.10', 'hard'],
  ['Failed', '5.0.0', 'hard'],
  ['failed', '5.2.1 (disabled)', 'hard'],
  ['failed', '5.4.4', 'hard'],
  ['failed', '5.2.2', 'soft'],
  ['failed', '4.4.7', 'soft'],
  ['failed', '5.3.2', 'soft'],
  ['failed', '5.7.1', 'refused'],
  ['failed', '5.1.8', 'refused'],
  ['failed', '5.2.3', 'refused'],
  ['failed', '5.6.1', 'refused'],
  ['failed', 'nonsense', 'refused'],
  ['delayed', '4.4.1', null],
  ['delivered', '2.0.0', null],
])('a report of %s with status %s is %s', (action, status, bounce) => {
  expect(bounceOf({ action, status })).toBe(bounce);
});

test.each([
  [550, '550 5.1.1 no such user', true],
  [550, '550 no such user', true],
  [550, '550 5.7.1 we do not like you', false],
  [552, '552 5.2.2 mailbox full', false],
  [554, '554 rejected', false],
])('the answer %i (%s) to a recipient concerns the address: %s', (code, text, isAddress) => {
  expect(refusesAddress(code, text)).toBe(isAddress);
});

test('an address for bounces names its delivery in either case, under every key of the ring, and cannot be forged', () => {
  const id = DeliveryId.parse(randomUUID());
  const ring = [key('b')];
  const address = bounceAddress(createCipher(ring), id, 'reply.test');
  const [local = ''] = address.split('@');
  expect(local.length).toBeLessThanOrEqual(64);
  expect(bouncedDelivery(createCipher([key('c'), ...ring]), local.toLowerCase())).toBe(id);
  expect(bouncedDelivery(cipher, local)).toBeUndefined();
  expect(bouncedDelivery(createCipher(ring), `${local.slice(0, -1)}x`)).toBeUndefined();
  const other = randomUUID().replaceAll('-', '');
  expect(bouncedDelivery(createCipher(ring), `bounce+${other}${local.slice(7 + 32)}`)).toBeUndefined();
  expect(bouncedDelivery(createCipher(ring), 'ticket+1')).toBeUndefined();
  expect(cipher.macBegins(Buffer.alloc(4), 'bounce-address', id)).toBe(false);
});

test('a mail without a report, such as a holiday notice, is none', async () => {
  expect(
    await readDeliveryReport(Buffer.from('Subject: Away\r\n\r\nI am away. Status: 5.1.1\r\n')),
  ).toBeUndefined();
  const empty = [
    'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
    '',
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.test',
    'a line without a field',
    '',
    '--b--',
    '',
  ].join('\r\n');
  expect(await readDeliveryReport(Buffer.from(empty))).toBeUndefined();
});

test('a window lets so many through a minute, for each by themselves', () => {
  const window = createWindow(2);
  expect(['a', 'a', 'a', 'b'].map((name) => window.take(name))).toEqual([true, true, false, true]);
  for (let stranger = 0; stranger <= 10_000; stranger++) window.take(`s${String(stranger)}`);
  expect(window.take('a')).toBe(true);
});
