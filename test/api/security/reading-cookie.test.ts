/** The cookie of the sign-in page: whom the codec endpoint answers by it, from which pages, for how long, and nobody else. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Payload } from '@temporalio/common';
import { z } from 'zod';
import { createCipher } from '../../../adapters/cipher.ts';
import { encryptingCodec } from '../../../adapters/codec.ts';
import { operations } from '../../../api/operations.ts';
import { sealReading } from '../../../services/identity/sessions/reading.ts';
import { loadConfig } from '../../../config.ts';
import { SessionId } from '../../../domain/ids.ts';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';
import { codeOf, type Answered, type Method } from '../../support/client.ts';
import { serve } from '../../support/stack/frame-world.ts';
import { until } from '../../support/stack/processes.ts';
import { stack } from '../../support/stack/stack.ts';

const SESSION = '/v1/admin/codec/session';
const DECODE = '/v1/admin/codec/decode';
const WEB_UI = new URL(stack.temporal.uiUrl).origin;
const Decoded = z.object({ payloads: z.array(z.object({ data: z.string() })) });

let bank: Bank;
beforeAll(() => {
  bank = openBank();
});
afterAll(() => bank.close());

const cipher = createCipher(loadConfig(stack.serviceEnv).ENCRYPTION_KEYS);

/** Name and value, as a browser sends it back. */
const cookieIn = (answer: Answered): string => answer.headers.get('Set-Cookie')?.split(';')[0] ?? '';

async function signIn(person: Person): Promise<string> {
  const answer = await person.client.call('POST', SESSION, { token: person.token });
  expect(answer.status).toBe(201);
  return cookieIn(answer);
}

/** As the page of Temporal calls it. */
function decode(
  { client }: Person,
  cookie: string,
  {
    origin = WEB_UI,
    path = DECODE,
    method = 'POST',
  }: { origin?: string | null; path?: string; method?: Method } = {},
): Promise<Answered> {
  return client.call(method, path, {
    ...(method === 'POST' ? { body: { payloads: [] } } : {}),
    query: 'preserveStorageRefs=true',
    headers: { Cookie: cookie, 'X-Namespace': 'default', ...(origin === null ? {} : { Origin: origin }) },
  });
}

test('the cookie opens what processes carry, as the Web UI asks for it, and the log says whose processes', async () => {
  const admin = await bank.admin('processes:read');
  const plain: Payload = {
    metadata: { encoding: Buffer.from('json/plain') },
    data: Buffer.from('"12.34 EUR"'),
  };
  const context = { type: 'workflow', namespace: 'default', workflowId: 'transfer/1' } as const;
  const [sealed] = await encryptingCodec(cipher).encode([plain], context);
  const base64 = (bytes: Uint8Array | null | undefined): string =>
    Buffer.from(bytes ?? []).toString('base64');
  const metadata = Object.fromEntries(
    Object.entries(sealed?.metadata ?? {}).map(([name, value]) => [name, base64(value)]),
  );
  const answer = await admin.client.call('POST', DECODE, {
    body: { payloads: [{ metadata, data: base64(sealed?.data) }] },
    query: 'preserveStorageRefs=true&of_a_later_version=1',
    headers: { Cookie: await signIn(admin), Origin: WEB_UI, 'X-Namespace': 'default' },
  });
  const [opened] = answer.as(Decoded).payloads;
  expect(Buffer.from(opened?.data ?? '', 'base64').toString()).toBe('"12.34 EUR"');
  expect(
    await bank.asOwner(`select after from audit_log where actor_id = $1 and action = 'payloads.decrypted'`, [
      admin.id,
    ]),
  ).toEqual([{ after: { processes: ['transfer/1'] } }]);
});

test('the browser sends the cookie to the codec endpoint only, from this site only, and hides it from scripts', async () => {
  const admin = await bank.admin('processes:read');
  const { headers } = await admin.client.call('POST', SESSION, { token: admin.token });
  expect(headers.get('Set-Cookie')).toMatch(
    /^teller-reading=[\w-]+; Max-Age=900; Path=\/v1\/admin\/codec; HttpOnly; SameSite=Strict$/,
  );
});

test('behind TLS the cookie is sent over TLS only, and to the path below which the service is published', async () => {
  const server = await serve(operations, { publicUrl: 'https://bank.example/api', TEMPORAL_UI_URL: WEB_UI });
  try {
    const admin = await bank.admin('processes:read');
    const { headers } = await server.call('POST', SESSION, { token: admin.token });
    expect(headers.get('Set-Cookie')).toMatch(
      /^__Secure-teller-reading=[\w-]+; Max-Age=900; Path=\/api\/v1\/admin\/codec; HttpOnly; SameSite=Strict; Secure$/,
    );
  } finally {
    await server.close();
  }
});

test('an administrator without processes:read gets no cookie, and one that they hold opens nothing', async () => {
  const admin = await bank.admin('processes:read');
  const cookie = await signIn(admin);
  expect(codeOf(await decode(admin, cookie))).toBe(200);
  await bank.asOwner('delete from user_permissions where user_id = $1', [admin.id]);
  // the API keeps whom it knows until it hears of the change
  await until(async () => codeOf(await decode(admin, cookie)) !== 200);
  expect(await decode(admin, cookie)).toMatchObject({ status: 403, body: { permission: 'processes:read' } });
  for (const person of [admin, await bank.admin('transfers:read'), await bank.customer()]) {
    const answer = await person.client.call('POST', SESSION, { token: person.token });
    expect([codeOf(answer), answer.headers.get('Set-Cookie')]).toEqual(['forbidden', null]);
  }
});

test('the cookie counts from the Web UI and from the sign-in page, and from no other page', async () => {
  const admin = await bank.admin('processes:read');
  const cookie = await signIn(admin);
  const of = async (origin: string | null): Promise<string | number> =>
    codeOf(await decode(admin, cookie, { origin }));
  expect(await of(WEB_UI)).toBe(200);
  expect(await of(stack.api)).toBe(200);
  for (const origin of [null, 'null', 'https://evil.example', `${WEB_UI}.evil.example`, `${WEB_UI}0`])
    expect({ origin, code: await of(origin) }).toEqual({ origin, code: 'unauthenticated' });
});

test('the cookie opens no other operation', async () => {
  const admin = await bank.admin('processes:read', 'transfers:read', 'audit:read');
  const cookie = await signIn(admin);
  for (const [method, path] of [
    ['GET', '/v1/admin/transfers/pending'],
    ['GET', '/v1/users/me'],
    ['POST', SESSION],
  ] as const)
    expect({ path, code: codeOf(await decode(admin, cookie, { method, path })) }).toEqual({
      ...{ path, code: 'unauthenticated' },
    });
});

test('each use renews the cookie, and one that was not used for a quarter of an hour is dead', async () => {
  const admin = await bank.admin('processes:read');
  const first = await signIn(admin);
  const answer = await decode(admin, first);
  expect(cookieIn(answer)).toMatch(/^teller-reading=/);
  expect(cookieIn(answer)).not.toBe(first);
  const [session] = await bank.asOwner('select id from sessions where user_id = $1', [admin.id]);
  const reading = { userId: admin.id, sessionId: SessionId.parse(session?.['id']) };
  const madeBefore = (seconds: number): string => {
    const now = Date.now;
    Date.now = () => now() - seconds * 1_000;
    try {
      return `teller-reading=${sealReading(reading, cipher)}`;
    } finally {
      Date.now = now;
    }
  };
  expect(codeOf(await decode(admin, madeBefore(890)))).toBe(200);
  expect(codeOf(await decode(admin, madeBefore(901)))).toBe('unauthenticated');
});

test('what is no cookie of ours opens nothing', async () => {
  const admin = await bank.admin('processes:read');
  const cookie = await signIn(admin);
  const changed = `${cookie.slice(0, -4)}${cookie.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`;
  for (const value of ['', 'teller-reading=', 'teller-reading=a', changed, `teller-reading=${admin.token}`])
    expect({ value, code: codeOf(await decode(admin, value)) }).toEqual({ value, code: 'unauthenticated' });
});

test('signing out takes the cookie back and ends its session', async () => {
  const admin = await bank.admin('processes:read');
  const cookie = await signIn(admin);
  const out = await admin.client.call('DELETE', SESSION, { headers: { Cookie: cookie, Origin: stack.api } });
  expect(out.status).toBe(204);
  expect(out.headers.get('Set-Cookie')).toMatch(/^teller-reading=; Max-Age=0; Path=\/v1\/admin\/codec/);
  expect(codeOf(await decode(admin, cookie))).toBe('unauthenticated');
  expect(codeOf(await admin.client.call('GET', '/v1/users/me', { token: admin.token }))).toBe(
    'unauthenticated',
  );
});

test('a session that reads is among those of its user, and ending it ends the cookie', async () => {
  const admin = await bank.admin('processes:read');
  const cookie = await signIn(admin);
  const [{ minutes } = {}] = await bank.asOwner(
    `select round(extract(epoch from reading_until - now()) / 60)::int as minutes from sessions where user_id = $1`,
    [admin.id],
  );
  expect(minutes).toBe(15);
  expect(codeOf(await decode(admin, cookie))).toBe(200);
  expect(
    (
      await admin.client.call('DELETE', '/v1/users/me/sessions/' + (await sessionOf(admin)), {
        token: admin.token,
      })
    ).status,
  ).toBe(204);
  expect(codeOf(await decode(admin, cookie))).toBe('unauthenticated');
});

async function sessionOf(admin: Person): Promise<string> {
  const Listed = z.object({ items: z.array(z.looseObject({ id: z.uuid() })) });
  const answer = await admin.client.call('GET', '/v1/users/me/sessions', { token: admin.token });
  const [session] = answer.as(Listed).items;
  if (session === undefined) throw new Error('the session is not listed');
  return session.id;
}

test('a preflight lets the page of Temporal call with its headers and the cookie, and no other page', async () => {
  const client = (await bank.admin()).client;
  const ask = (path: string, origin: string): Promise<Answered> =>
    client.call('OPTIONS', path, {
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'content-type,x-namespace',
      },
    });
  const { headers } = await ask(DECODE, WEB_UI);
  expect(headers.get('Access-Control-Allow-Origin')).toBe(WEB_UI);
  expect(headers.get('Access-Control-Allow-Credentials')).toBe('true');
  expect(headers.get('Access-Control-Allow-Methods')).toBe('POST');
  expect(headers.get('Access-Control-Allow-Headers')?.toLowerCase()).toContain('x-namespace');
  for (const [path, origin] of [
    [DECODE, 'https://evil.example'],
    [DECODE, 'null'],
    [SESSION, WEB_UI],
    ['/v1/admin/transfers/pending', WEB_UI],
  ] as const)
    expect({
      path,
      origin,
      allowed: (await ask(path, origin)).headers.get('Access-Control-Allow-Origin'),
    }).toEqual({
      ...{ path, origin, allowed: null },
    });
});

test('a refusal can be read by the page of Temporal, too', async () => {
  const answer = await decode(await bank.admin(), '');
  expect(answer.status).toBe(401);
  expect(answer.headers.get('Access-Control-Allow-Origin')).toBe(WEB_UI);
  expect(answer.headers.get('Access-Control-Allow-Credentials')).toBe('true');
});

test('the sign-in page runs its own script only, cannot be framed, and is kept by nobody', async () => {
  const { client } = await bank.admin();
  const page = await client.call('GET', '/operators/sign-in');
  expect(page.headers.get('Content-Type')).toContain('text/html');
  expect(page.headers.get('Content-Security-Policy')).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  );
  expect(page.headers.get('Cache-Control')).toBe('no-store');
  expect(page.text).not.toMatch(/<script(?! type="module" src="sign-in.js">)|\son\w+=|style=/);
  const query = encodeURIComponent('TellerProcess="transfer" AND TellerStatus="pending_approval"');
  expect(page.text).toContain(
    `${stack.temporal.uiUrl}/namespaces/${stack.temporal.namespace}/workflows?query=${query}`,
  );
  const script = await client.call('GET', '/operators/sign-in.js');
  expect(script.headers.get('Content-Type')).toContain('text/javascript');
});
