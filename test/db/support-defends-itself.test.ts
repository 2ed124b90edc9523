/** What a wrong program cannot do to tickets, files and messages: PostgreSQL refuses it, whoever forgot to look. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { openBooks, type Books } from '../support/bank/books.ts';
import { ownBank } from '../support/stack/database.ts';

let books: Books;
/** As the application's role, which is what a wrong program has. */
let application: pg.Pool;
let customer: string;

beforeAll(async () => {
  const database = await ownBank();
  books = openBooks(database);
  application = new pg.Pool({ connectionString: database.url, max: 2 });
  customer = await books.user();
});
afterAll(async () => {
  await application.end();
  await books.close();
});

const does = (statement: string, parameters: unknown[] = []) => application.query(statement, parameters);
const INSUFFICIENT_PRIVILEGE = { code: '42501' };
const ENDED = { code: '23001' };
const brokenRule = (constraint: string) => ({ code: '23514', constraint });

async function ticket(): Promise<string> {
  const id = randomUUID();
  await does(
    `insert into tickets (id, customer_id, subject, category) values ($1, $2, 'A question', 'other')`,
    [id, customer],
  );
  return id;
}

async function upload(kind = 'file'): Promise<string> {
  const id = randomUUID();
  await does(
    `insert into uploads (id, uploader_id, kind, file_name, content_type, object_key, expires_at)
     values ($1, $2, $4, 'a.txt', 'text/plain', $3, now() + interval '15 minutes')`,
    [id, customer, `uploads/${id}`, kind],
  );
  return id;
}

async function message(): Promise<string> {
  const id = randomUUID();
  await does(
    `insert into messages (id, user_id, channel, template, locale, sealed_content)
     values ($1, $2, 'email', 'login_code', 'en', '\\x00')`,
    [id, customer],
  );
  return id;
}

test('what was said in a ticket cannot be changed, nor unsaid', async () => {
  const id = await ticket();
  await does(
    `insert into ticket_messages (id, ticket_id, author_id, side, body) values (uuidv7(), $1, $2, 'customer', 'Yes.')`,
    [id, customer],
  );
  for (const statement of [
    `update ticket_messages set body = 'No.' where ticket_id = $1`,
    'delete from ticket_messages where ticket_id = $1',
    'delete from tickets where id = $1',
    'update tickets set customer_id = customer_id where id = $1',
  ])
    await expect(does(statement, [id])).rejects.toMatchObject(INSUFFICIENT_PRIVILEGE);
});

test('a ticket is closed with its time, and only a closed one says by whom', async () => {
  const id = await ticket();
  await expect(does(`update tickets set status = 'closed' where id = $1`, [id])).rejects.toMatchObject(
    brokenRule('tickets_closed'),
  );
  await expect(does('update tickets set closed_by = $2 where id = $1', [id, customer])).rejects.toMatchObject(
    brokenRule('tickets_closed_by'),
  );
});

test('a file is confirmed only with what was found at its place', async () => {
  const id = await upload();
  await expect(
    does(`update uploads set status = 'confirmed', finished_at = now() where id = $1`, [id]),
  ).rejects.toMatchObject(brokenRule('uploads_confirmed_was_read'));
  const confirm = (bytes: number) =>
    does(
      `update uploads set status = 'confirmed', finished_at = now(), size_bytes = $2, sha256 = sha256('') where id = $1`,
      [id, bytes],
    );
  await expect(confirm(10 * 1024 * 1024 + 1)).rejects.toMatchObject(brokenRule('uploads_size_bytes_check'));
  await expect(confirm(10 * 1024 * 1024)).resolves.toMatchObject({ rowCount: 1 });
});

test('a fault stands only with an identity document that was rejected', async () => {
  const end = (id: string, status: string, fault: string) =>
    does('update uploads set status = $2, fault = $3, finished_at = now() where id = $1', [
      id,
      status,
      fault,
    ]);
  const document = await upload('identity');
  await expect(end(document, 'expired', 'too_small')).rejects.toMatchObject(brokenRule('uploads_fault'));
  await expect(end(document, 'rejected', 'ugly')).rejects.toMatchObject(brokenRule('uploads_fault_check'));
  await expect(end(await upload(), 'rejected', 'too_small')).rejects.toMatchObject(
    brokenRule('uploads_fault'),
  );
  await expect(end(document, 'rejected', 'too_small')).resolves.toMatchObject({ rowCount: 1 });
});

test('a file cannot be given to somebody else, to another place, or another name', async () => {
  const id = await upload();
  for (const column of ['uploader_id', 'kind', 'object_key', 'file_name', 'content_type', 'expires_at'])
    await expect(does(`update uploads set ${column} = ${column} where id = $1`, [id])).rejects.toMatchObject(
      INSUFFICIENT_PRIVILEGE,
    );
  await expect(does('delete from uploads where id = $1', [id])).rejects.toMatchObject(INSUFFICIENT_PRIVILEGE);
});

test('a message that is delivered or given up has forgotten its recipient and its code', async () => {
  const id = await message();
  await expect(
    does(`update messages set status = 'delivered', finished_at = now() where id = $1`, [id]),
  ).rejects.toMatchObject(brokenRule('messages_sealed_while_queued'));
  await expect(
    does(`update messages set status = 'failed', finished_at = now(), sealed_content = null where id = $1`, [
      id,
    ]),
  ).resolves.toMatchObject({ rowCount: 1 });
});

test('how a ticket, a file or a message ended, stands', async () => {
  const [closed, expired, failed] = [await ticket(), await upload(), await message()];
  await does(`update tickets set status = 'closed', closed_at = now() where id = $1`, [closed]);
  await does(`update uploads set status = 'expired', finished_at = now() where id = $1`, [expired]);
  await does(
    `update messages set status = 'failed', finished_at = now(), sealed_content = null where id = $1`,
    [failed],
  );
  await expect(
    does(`update tickets set status = 'open', closed_at = null where id = $1`, [closed]),
  ).rejects.toMatchObject(ENDED);
  await expect(
    does(`update uploads set status = 'confirmed', size_bytes = 1, sha256 = sha256('') where id = $1`, [
      expired,
    ]),
  ).rejects.toMatchObject(ENDED);
  await expect(
    does(`update messages set status = 'delivered' where id = $1`, [failed]),
  ).rejects.toMatchObject(ENDED);
});
