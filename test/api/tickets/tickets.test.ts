/** Conversations with support over HTTP: who sees them, how they move, how they end. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { MAX_TICKET_MESSAGES } from '../../../domain/tickets/tickets.ts';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';
import { newKey, patiently, type Answered } from '../../support/client.ts';
import {
  MessageAnswer,
  openDesk,
  putFile,
  supporter,
  TicketAnswer,
  type Desk,
} from '../../support/bank/desk.ts';
import { files } from '../../support/formats/files.ts';
import { mailboxOf } from '../../support/stack/inbox.ts';

let bank: Bank;
let desk: Desk;
let support: Person;
beforeAll(async () => {
  bank = openBank();
  desk = openDesk();
  support = await supporter(bank);
});
afterAll(() => bank.close());

const TicketPage = z.object({
  items: z.array(z.looseObject({ id: z.uuid() })),
  next_cursor: z.string().nullable(),
});

test('one customer cannot flood support: the twenty-first ticket in an hour has to wait', async () => {
  const customer = await bank.customer();
  const open = () => desk.post(customer, '/v1/tickets', { subject: 'Again', body: 'And again.' });
  const answers = await Promise.all(Array.from({ length: 22 }, open));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
  expect(answers.find(({ status }) => status !== 201)?.body).toMatchObject({
    ...{ status: 429, code: 'too_many_requests' },
  });
  expect((await desk.open(await bank.customer())).ticketId).not.toBe('');
});

const say = (who: Person, ticketId: string, body: string): Promise<Answered> =>
  desk.post(who, `${who === support ? '/v1/admin' : '/v1'}/tickets/${ticketId}/messages`, { body });
const close = (ticketId: string, body: object = {}, by: Person = support): Promise<Answered> =>
  patiently(() => desk.post(by, `/v1/admin/tickets/${ticketId}/close`, body));
const statusOf = async (customer: Person, ticketId: string): Promise<string> =>
  (await desk.see(customer, ticketId)).status;

describe('a conversation', () => {
  test('is untouched until support answers, then waits for whoever did not speak last', async () => {
    const customer = await bank.customer();
    const { ticketId } = await desk.open(customer);
    expect(await statusOf(customer, ticketId)).toBe('open');
    await say(customer, ticketId, 'It was ten euros.');
    expect(await statusOf(customer, ticketId)).toBe('open');
    await say(support, ticketId, 'We are looking.');
    expect(await statusOf(customer, ticketId)).toBe('waiting_for_customer');
    await say(customer, ticketId, 'Thank you.');
    expect(await statusOf(customer, ticketId)).toBe('waiting_for_support');
    const { messages } = await desk.see(customer, ticketId);
    expect(messages.map(({ side, body }) => [side, body])).toEqual([
      ['customer', 'I sent it on Monday.'],
      ['customer', 'It was ten euros.'],
      ['support', 'We are looking.'],
      ['customer', 'Thank you.'],
    ]);
  });

  test('tells the customer by mail that there is an answer, but not what it says', async () => {
    const customer = await bank.customer();
    const { ticketId } = await desk.open(customer, { subject: 'About a purple elephant' });
    const { number } = await desk.see(customer, ticketId);
    const words = 'The elephant is on account 4711.';
    expect((await say(support, ticketId, words)).as(MessageAnswer)).toMatchObject({
      side: 'support',
      body: words,
    });
    const mail = await mailboxOf(`${customer.id}@bank.test`).next();
    expect(mail.subject).toContain(number);
    for (const secret of ['elephant', '4711', 'account']) {
      expect(mail.subject).not.toContain(secret);
      expect(mail.text).not.toContain(secret);
    }
  });

  test('sent twice with one key is one message and one mail', async () => {
    const customer = await bank.customer();
    const { ticketId } = await desk.open(customer);
    const call = { token: support.token, key: newKey(), body: { body: 'Once.' } };
    const path = `/v1/admin/tickets/${ticketId}/messages`;
    const [first, again] = [
      await support.client.call('POST', path, call),
      await support.client.call('POST', path, call),
    ];
    expect(again.text).toBe(first.text);
    expect((await desk.see(customer, ticketId)).messages).toHaveLength(2);
    const queued = await bank.asOwner(
      `select count(*)::int as mails from notification_deliveries d join notifications n on n.id = d.notification_id
        where n.user_id = $1 and d.channel = 'email'`,
      [customer.id],
    );
    expect(queued).toEqual([{ mails: 1 }]);
  });

  test.each([
    ['any script', '你好 — سلام — שלום — 👩🏽‍🚀 — Ω\u0301'],
    ['lines and tabs', 'first\n\n\tsecond\r\nthird'],
    ['markup, as it was typed', `<b>&amp;</b> {{ code }} %s '; drop table tickets; --`],
    ['the most that is taken', 'ä'.repeat(10_000)],
  ])('keeps %s', async (_what, body) => {
    const customer = await bank.customer();
    const { ticketId } = await desk.open(customer, { body });
    expect((await desk.see(customer, ticketId)).messages[0]?.body).toBe(body.normalize('NFC'));
  });

  test.each([
    ['nothing but blanks', ' \n\t '],
    ['a null character', 'a\u0000b'],
    ['a lone surrogate', 'a\ud83db'],
    ['a turn of direction', 'a\u202eb'],
    ['too many characters', 'a'.repeat(10_001)],
  ])('does not take %s', async (_what, body) => {
    const customer = await bank.customer();
    const { ticketId } = await desk.open(customer);
    expect(await say(customer, ticketId, body)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/body' }] },
    });
  });

  test('that carries as many messages as it may takes no more, from neither side', async () => {
    const customer = await bank.customer();
    const { ticketId } = await desk.open(customer);
    await bank.asOwner(
      `insert into ticket_messages (id, ticket_id, author_id, side, body)
       select uuidv7(), $1, $2, 'customer', 'again' from generate_series(1, $3::int)`,
      [ticketId, customer.id, MAX_TICKET_MESSAGES - 2],
    );
    expect((await say(customer, ticketId, 'The last one.')).status).toBe(201);
    for (const who of [customer, support])
      expect(await say(who, ticketId, 'One more.')).toMatchObject({
        status: 409,
        body: { code: 'ticket_full' },
      });
  });
});

describe('a ticket', () => {
  test('of somebody else, or that does not exist, is not found', async () => {
    const stranger = await bank.customer();
    const { ticketId } = await desk.open(await bank.customer());
    for (const id of [ticketId, randomUUID()]) {
      const path = `/v1/tickets/${id}`;
      expect((await stranger.client.call('GET', path, { token: stranger.token })).status).toBe(404);
      expect((await say(stranger, id, 'Hello?')).status).toBe(404);
    }
    expect((await desk.post(support, `/v1/admin/tickets/${randomUUID()}/close`, {})).status).toBe(404);
    expect((await say(support, randomUUID(), 'Hello?')).status).toBe(404);
  });

  test('is listed for its customer only, newest first, a page at a time', async () => {
    const customer = await bank.customer();
    await desk.open(await bank.customer());
    const opened: string[] = [];
    for (let count = 0; count < 3; count += 1) opened.unshift((await desk.open(customer)).ticketId);
    const page = async (query: Record<string, string>) =>
      (await customer.client.call('GET', '/v1/tickets', { token: customer.token, query })).as(TicketPage);
    const first = await page({ limit: '2' });
    const second = await page({ limit: '2', cursor: first.next_cursor ?? '' });
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(opened);
    expect(second.next_cursor).toBeNull();
  });

  test('is found by support under its status, and by nobody without the permission', async () => {
    const customer = await bank.customer();
    const { ticketId } = await desk.open(customer);
    await say(support, ticketId, 'We are looking.');
    const under = async (status: string): Promise<boolean> => {
      const answer = await support.client.call('GET', '/v1/admin/tickets', {
        token: support.token,
        query: { status, limit: '200' },
      });
      return answer.as(TicketPage).items.some(({ id }) => id === ticketId);
    };
    expect(await under('waiting_for_customer')).toBe(true);
    expect(await under('open')).toBe(false);
    const reader = await bank.admin('tickets:read');
    expect((await desk.post(reader, `/v1/admin/tickets/${ticketId}/messages`, { body: 'Hm.' })).status).toBe(
      403,
    );
    expect((await close(ticketId, {}, reader)).status).toBe(403);
  });

  test('that is closed says why, and takes neither messages nor files', async () => {
    const customer = await bank.customer();
    const place = await desk.open(customer);
    const { ticketId } = place;
    const upload = await desk.ask(place);
    await putFile(upload, files.pdf);
    expect(await close(ticketId, { reason: 'Solved by phone' })).toMatchObject({
      status: 200,
      body: { id: ticketId, status: 'closed' },
    });
    expect(await desk.see(customer, ticketId)).toMatchObject({
      status: 'closed',
      close_reason: 'Solved by phone',
    });
    const file = { file_name: 'a.txt', content_type: 'text/plain' };
    const refused = await Promise.all([
      say(customer, ticketId, 'One more thing.'),
      say(support, ticketId, 'One more thing.'),
      desk.post(customer, `${desk.attachments(place)}/upload-url`, file),
      desk.post(customer, desk.attachments(place), { ...file, content_base64: 'SGVsbG8=' }),
    ]);
    for (const answer of refused)
      expect(answer).toMatchObject({ status: 409, body: { code: 'ticket_closed' } });
    // what was on its way before may still arrive
    expect((await desk.confirm(place, upload)).status).toBe(200);
  });

  test('is closed once: whoever comes later learns it, a repeat gets the first answer', async () => {
    const { ticketId } = await desk.open(await bank.customer());
    const path = `/v1/admin/tickets/${ticketId}/close`;
    const call = { token: support.token, key: newKey(), body: {} };
    const first = await patiently(() => support.client.call('POST', path, call));
    expect(first.status).toBe(200);
    expect((await support.client.call('POST', path, call)).text).toBe(first.text);
    expect(await close(ticketId)).toMatchObject({ status: 409, body: { code: 'ticket_closed' } });
    const log = await bank.asOwner(
      `select actor_id from audit_log where subject_id = $1 and action = 'ticket.closed'`,
      [ticketId],
    );
    expect(log).toEqual([{ actor_id: support.id }]);
  });

  test('that two close at once is closed by one of them', async () => {
    const { ticketId } = await desk.open(await bank.customer());
    const other = await supporter(bank);
    const answers = await Promise.all([
      close(ticketId, { reason: 'a' }),
      close(ticketId, { reason: 'b' }, other),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const detail = await support.client.call('GET', `/v1/admin/tickets/${ticketId}`, {
      token: support.token,
    });
    expect(detail.as(TicketAnswer).close_reason).toBe(answers[0].status === 200 ? 'a' : 'b');
  });
});
