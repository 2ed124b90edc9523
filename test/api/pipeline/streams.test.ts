/** Answers that are written while they are read: chosen by Accept, refused before their first byte, cut off after it. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { named } from '../../../api/wire/naming.ts';
import { type Operation, forAnybody } from '../../../api/declaration/operation.ts';
import type { MediaType } from '../../../services/streamed.ts';
import { Refusal } from '../../../domain/refusals.ts';
import { serve, type FrameWorld } from '../../support/stack/frame-world.ts';
import { until } from '../../support/stack/processes.ts';

const Said = named('TestStream', z.strictObject({ said: z.string() }));
const PART = 'x'.repeat(64 * 1024);
/** What the endless stream has done so far. */
const seen = { parts: 0, closed: 0 };

type Parts = (format: MediaType) => AsyncGenerator<string, void, undefined>;

function streaming(id: string, parts: Parts): Operation {
  return forAnybody({
    id,
    area: 'Test',
    title: 'Stream',
    description: 'For tests.',
    method: 'GET',
    path: `/${id}`,
    effect: 'read',
    status: 200,
    formats: ['application/json', 'text/csv'],
    answer: Said,
    refuses: ['account_closed'],
    handle: ({ format }) => Promise.resolve({ parts: parts(format), filename: 'said.txt' }),
  });
}

const operations = [
  streaming('says', async function* (format) {
    await Promise.resolve();
    yield '{"said":';
    yield `"${format}"}`;
  }),
  streaming('saysNothing', async function* () {
    await Promise.resolve();
  }),
  streaming('refuses', async function* () {
    await Promise.resolve();
    if (seen.parts >= 0) throw new Refusal('account_closed');
    yield '';
  }),
  streaming('failsFirst', async function* () {
    await Promise.resolve();
    if (seen.parts >= 0) throw new Error('secret-of-the-inside');
    yield '';
  }),
  streaming('failsLater', async function* () {
    yield PART;
    await wait(20);
    throw new Error('secret-of-the-inside');
  }),
  streaming('endless', async function* () {
    try {
      for (;;) {
        seen.parts += 1;
        yield PART;
        await wait(1);
      }
    } finally {
      seen.closed += 1;
    }
  }),
];

let world: FrameWorld;
beforeAll(async () => {
  world = await serve(operations);
});
afterAll(() => world.close());

const ask = (path: string, accept?: string) =>
  world.call('GET', path, accept === undefined ? {} : { headers: { Accept: accept } });

test.each([
  ['text/csv', 'text/csv'],
  ['*/*', 'application/json'],
  ['text/*', 'text/csv'],
  ['application/json;q=0.1, text/csv', 'text/csv'],
  ['application/pdf, application/json;q=0.5', 'application/json'],
])('Accept: %s is answered with %s', async (accept, format) => {
  const answer = await ask('/says', accept);
  expect(answer.body).toEqual({ said: format });
  expect(answer.headers.get('Content-Type')).toContain(format);
  expect(answer.headers.get('Vary')).toContain('Accept');
});

test('a media type that is not offered is refused, and the offered ones are named', async () => {
  const answer = await ask('/says', 'application/pdf');
  expect(answer.body).toMatchObject({
    status: 406,
    code: 'not_acceptable',
    offered: ['application/json', 'text/csv'],
  });
});

test('what goes wrong before the first part is a Problem, as anywhere', async () => {
  expect((await ask('/refuses')).body).toMatchObject({ status: 409, code: 'account_closed' });
  const fault = await ask('/failsFirst');
  expect(fault.body).toMatchObject({ status: 500, code: 'internal_error' });
  expect(fault.text).not.toContain('secret-of-the-inside');
});

test('a stream without parts is an empty answer', async () => {
  expect(await ask('/saysNothing')).toMatchObject({ status: 200, text: '' });
});

test('what goes wrong in the middle cuts the connection: nobody can take the half for the whole', async () => {
  await expect(ask('/failsLater')).rejects.toThrow('terminated');
  await until(() => world.log().includes('"ending":"broken"'));
  expect(world.log()).toContain('a stream broke off');
});

test('HEAD tells the type and reads nothing', async () => {
  const before = { ...seen };
  const answer = await world.call('HEAD', '/endless', { headers: { Accept: 'text/csv' } });
  expect(answer.headers.get('Content-Type')).toContain('text/csv');
  expect([seen.parts - before.parts, seen.closed - before.closed]).toEqual([1, 1]);
});

test('a reader who does not read is waited for, and one who goes away is noticed', async () => {
  const before = { ...seen };
  const [call, response] = await open('/endless');
  response.pause();
  let made = seen.parts;
  let still = 0;
  await until(
    () => {
      still = seen.parts === made ? still + 1 : 0;
      made = seen.parts;
      return still === 5;
    },
    undefined,
    100,
    () => seen,
  );
  // as much as the buffers of both sides hold, not as much as could be made in that time
  expect(made - before.parts).toBeLessThan(400);
  expect(seen.closed).toBe(before.closed);
  call.destroy();
  await until(
    () => seen.closed > before.closed,
    () => seen,
  );
  await until(() => world.log().includes('"ending":"reader_gone"'));
});

function open(path: string): Promise<[ClientRequest, IncomingMessage]> {
  return new Promise((resolve, reject) => {
    const call: ClientRequest = request(`${world.base}${path}`, (response) => {
      response.on('error', () => undefined);
      resolve([call, response]);
    });
    call.on('error', reject).end();
  });
}
