/** Text messages cost: each number and the bank have a share of each day, and codes have the last of it. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PassThrough } from 'node:stream';
import { pino } from 'pino';
import { createMail, smsByMail } from '../../adapters/mail.ts';
import { sweep } from '../../db/queries/platform/sweeps.ts';
import { smsRefusal } from '../../services/notifications/sending/sms-cost.ts';
import { sendDue } from '../../services/notifications/sending/sender.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { cipher, config, deliveriesOf, happen } from '../support/bank/events.ts';
import { newPhone } from '../support/bank/people.ts';
import { ownBank } from '../support/stack/database.ts';

let books: Books;
let logged = '';
beforeAll(async () => {
  books = openBooks(await ownBank());
});
afterAll(() => books.close());

const log = pino(new PassThrough().on('data', (chunk: Buffer) => (logged += chunk.toString())));
const mail = createMail(config);
const caps = (ofPerson: number, ofBank: number) => ({
  ...{
    em: () => books.em(),
    cipher,
    mail,
    push: undefined,
    log,
    sms: smsByMail(mail, config.SMS_MAIL_DOMAIN),
  },
  config: { ...config, SMS_PARTS_OF_PERSON: ofPerson, SMS_PARTS_OF_BANK: ofBank },
});
const notice = { id: '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e', lane: 'common', typeCode: 'x' } as never;
const code = { id: '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e', lane: 'codes', typeCode: 'x' } as never;
const empty = () => books.asOwner('delete from sms_uses');

test('a number gets so many parts a day, long texts count by their parts, and others are not touched', async () => {
  await empty();
  const [one, other] = [newPhone().number, newPhone().number];
  const deps = caps(3, 1_000);
  expect(await smsRefusal(deps, notice, one, 'x'.repeat(200))).toBeNull();
  expect(await smsRefusal(deps, code, one, 'x'.repeat(200))).toBe('sms_cap_of_person');
  expect(await smsRefusal(deps, code, one, 'x')).toBeNull();
  expect(await smsRefusal(deps, code, one, 'x')).toBe('sms_cap_of_person');
  expect(await smsRefusal(deps, code, other, 'x')).toBeNull();
  expect(await smsRefusal(caps(1, 1_000), code, newPhone().number, 'x'.repeat(200))).toBe(
    'sms_cap_of_person',
  );
});

test('the bank sends so many a day, twenty at once included, and the last fifth is for codes', async () => {
  await empty();
  const deps = caps(40, 10);
  const asked = await Promise.all(
    Array.from({ length: 20 }, () => smsRefusal(deps, notice, newPhone().number, 'x')),
  );
  expect(asked.filter((refusal) => refusal === null)).toHaveLength(8);
  expect(asked.filter((refusal) => refusal === 'sms_cap_of_bank')).toHaveLength(12);
  logged = '';
  const codes = [];
  for (let sent = 0; sent < 3; sent++) codes.push(await smsRefusal(deps, code, newPhone().number, 'x'));
  expect(codes).toEqual([null, null, 'sms_cap_of_bank']);
  expect(logged).toContain('"alert":"sms_cap_reached"');
  await books.asOwner('update sms_uses set day = day - 1');
  expect(await smsRefusal(deps, notice, newPhone().number, 'x')).toBeNull();
});

test('a number that earns by being called gets nothing, and the evidence says why', async () => {
  await empty();
  expect(await smsRefusal(caps(40, 1_000), code, '+499001234567', 'x')).toBe('costly_number');
  const user = await books.user();
  await happen(books.em(), user, {
    type: 'login_code',
    to: { sms: '+499001234567' },
    values: { code: '735911', minutes: '5' },
  });
  await sendDue(caps(40, 1_000), 'codes', 100);
  expect(await deliveriesOf(books, user)).toMatchObject({
    sms: { status: 'suppressed', reason: 'costly_number' },
  });
});

test('what is sent and what is counted is the text in plain characters', async () => {
  await empty();
  const [user, sent] = [await books.user(), new Array<string>()];
  const sms = {
    send({ text }: { readonly text: string }) {
      sent.push(text);
      return Promise.resolve();
    },
  };
  await happen(books.em(), user, {
    type: 'payment_code',
    to: { sms: newPhone().number },
    values: { code: '735911', minutes: '5', payment: '1.234,50\u00a0€ to Ana-Luc…r–Lüdens, MT84MALT0110000' },
  });
  await sendDue({ ...caps(40, 1_000), sms }, 'codes', 100);
  expect(sent).toEqual([expect.stringContaining('1.234,50 € to Ana-Luc...r-Lüdens, MT84MALT0110000')]);
  expect(await books.asOwner('select segments from sms_uses')).toEqual([{ segments: 1 }, { segments: 1 }]);
});

test('what was counted a week ago is swept', async () => {
  await empty();
  await smsRefusal(caps(40, 1_000), code, newPhone().number, 'x');
  await books.asOwner(`update sms_uses set day = day - 9 where spender <> 'bank'`);
  await sweep(books.em());
  expect(await books.asOwner('select spender from sms_uses')).toEqual([{ spender: 'bank' }]);
});
