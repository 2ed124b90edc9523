/** Files that reviewers keep with flags. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';
import { newKey, type Answered } from '../../support/client.ts';

let bank: Bank;
let reviewer: Person;
let second: Person;
beforeAll(async () => {
  bank = openBank();
  [reviewer, second] = [await bank.admin('aml:review', 'aml:read'), await bank.admin('aml:review')];
});
afterAll(() => bank.close());

const post = (person: Person, path: string, body: object): Promise<Answered> =>
  person.client.call('POST', `/v1/admin/${path}`, { token: person.token, key: newKey(), body });
const get = (person: Person, path: string): Promise<Answered> =>
  person.client.call('GET', `/v1/admin/${path}`, { token: person.token });

/** A flag on the account of a customer. */
async function flagRaised(): Promise<string> {
  const account = await bank.account(await bank.customer());
  await post(reviewer, `accounts/${account.id}/aml-flag`, { reason: 'odd credits', freeze: false });
  const [row] = await bank.asOwner('select id from aml_flags where subject_id = $1', [account.id]);
  return String(row?.['id']);
}

test('a file is kept with a flag, shown to reviewers only, and each look at it is written down', async () => {
  const flag = await flagRaised();
  const path = `aml/flags/${flag}/attachments`;
  const file = { file_name: 'note.txt', content_type: 'text/plain', content_base64: 'SGVsbG8=' };
  const kept = await post(reviewer, path, file);
  expect(kept.body).toMatchObject({ size_bytes: 5, attached_by: reviewer.id, download_url: null });
  const { id } = kept.as(z.looseObject({ id: z.uuid() }));
  for (const wrong of [{ content_type: 'application/pdf' }, { content_type: 'text/html' }])
    expect([400, 409]).toContain((await post(reviewer, path, { ...file, ...wrong })).status);
  expect((await get(second, path)).body).toMatchObject({ items: [{ id, download_url: null }] });
  const { download_url: url } = (await get(second, `${path}/${id}`)).as(
    z.looseObject({ download_url: z.url() }),
  );
  expect(await (await fetch(url)).text()).toBe('Hello');
  expect((await get(await bank.admin('aml:read'), `${path}/${id}`)).status).toBe(403);
  expect((await get(second, `aml/flags/${newKey()}/attachments`)).status).toBe(404);
  expect((await post(second, `aml/flags/${newKey()}/attachments`, file)).status).toBe(404);
  const looks = await bank.asOwner(
    `select actor_id from audit_log where action = 'aml_flag.attachment_read' and subject_id = $1`,
    [flag],
  );
  expect(looks).toEqual([{ actor_id: second.id }]);
  const { events } = (await get(reviewer, `aml/flags/${flag}`)).as(
    z.looseObject({ events: z.array(z.looseObject({ kind: z.string(), note: z.string().nullable() })) }),
  );
  expect(events.at(-1)).toMatchObject({ kind: 'attached', note: 'note.txt' });
});

test('a flag takes fifty files', async () => {
  const flag = await flagRaised();
  await bank.asOwner(
    `insert into aml_attachments (id, flag_id, file_name, content_type, size_bytes, sha256, object_key, attached_by)
       select uuidv7(), $1, 'note.txt', 'text/plain', 5, sha256('Hello'), gen_random_uuid()::text, $2 from generate_series(1, 50)`,
    [flag, reviewer.id],
  );
  const file = { file_name: 'note.txt', content_type: 'text/plain', content_base64: 'SGVsbG8=' };
  expect((await post(reviewer, `aml/flags/${flag}/attachments`, file)).body).toMatchObject({
    ...{ status: 409, code: 'too_many_attachments' },
  });
});
