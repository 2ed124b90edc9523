/** The control that all simulators share: faults are used up in their order, the log is kept, and no foreign page controls anything. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createControl, listenOnLoopback, type Control } from '../../dev/simulators/control.ts';

let control: Control;
let base: string;
beforeAll(async () => {
  control = createControl({
    title: 'A <b>',
    about: 'Of a test.',
    calls: { pay: 'it pays', tell: 'it tells' },
    routes: {
      'POST /ring': async (body) => ({ status: 200, body: { rung: body } }),
      'GET /bells/{id}': async (_body, id) => ({ status: 200, body: { bell: id } }),
      'GET /bells/all': async () => ({ status: 200, body: { bells: 2 } }),
      'POST /bells/{name}/ring': async (_body, name) => ({ status: 200, body: { rung: name } }),
    },
    serve(request, response) {
      if (request.url !== '/own') return false;
      response.writeHead(200).end('"its own"');
      return true;
    },
  });
  await listenOnLoopback(control.server, 0, 'A_PORT');
  base = `http://127.0.0.1:${String((control.server.address() as AddressInfo).port)}`;
});
afterAll(() => {
  control.server.close();
});

async function call(method: string, path: string, body?: unknown, type = 'application/json') {
  const more = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': type } };
  const answer = await fetch(`${base}${path}`, { method, ...more });
  return { status: answer.status, body: await answer.json() };
}

test('faults of a call are used up one by one, in the order in which they were asked for', async () => {
  await call('POST', '/faults', { call: 'pay', fault: 'refuse', times: 2 });
  await call('POST', '/faults', { call: 'tell', fault: 'http_503' });
  const armed = await call('POST', '/faults', { call: 'pay', fault: 'timeout', times: 1 });
  expect(armed).toEqual({
    status: 200,
    body: {
      faults: [
        { call: 'pay', fault: 'refuse', times: 2 },
        { call: 'tell', fault: 'http_503', times: 1 },
        { call: 'pay', fault: 'timeout', times: 1 },
      ],
    },
  });
  const drawn = Array.from({ length: 4 }, () => control.faultOf('pay'));
  expect(drawn).toEqual(['refuse', 'refuse', 'timeout', undefined]);
  expect(await call('DELETE', '/faults')).toEqual({ status: 200, body: { faults: [] } });
  expect(control.faultOf('tell')).toBeUndefined();
});

test.each([
  ['an unknown call', { call: 'fly', fault: 'refuse', times: 1 }],
  ['an unknown fault', { call: 'pay', fault: 'explode', times: 1 }],
  ['no times', { call: 'pay', fault: 'refuse', times: 0 }],
  ['another field', { call: 'pay', fault: 'refuse', times: 1, now: true }],
])('a fault with %s is refused', async (_, body) => {
  expect((await call('POST', '/faults', body)).status).toBe(400);
  expect((await call('GET', '/faults')).body).toEqual({ faults: [] });
});

test('the log is newest first, and the page shows it without taking it for markup', async () => {
  control.note('pay', { amount: '1.00' });
  control.note('tell', { text: '<script>alert(1)</script>' }, 'refuse');
  const { body } = await call('GET', '/log');
  expect(body).toMatchObject({
    items: [
      { call: 'tell', fault: 'refuse' },
      { call: 'pay', amount: '1.00' },
    ],
  });
  const page = await (await fetch(`${base}/`)).text();
  expect(page).toContain('A &lt;b&gt;');
  expect(page).toContain('&lt;script&gt;alert(1)');
});

test('a page of somebody else in the same browser controls nothing', async () => {
  const body = { call: 'pay', fault: 'refuse', times: 1 };
  expect((await call('POST', '/faults', body, 'text/plain')).status).toBe(415);
  const { port } = control.server.address() as AddressInfo;
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const options = { port, host: '127.0.0.1', path: '/log', headers: { Host: 'evil.example' } };
    request(options, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on('error', reject)
      .end();
  });
  expect(status).toBe(403);
  expect((await call('GET', '/faults')).body).toEqual({ faults: [] });
});

test('a call that takes no body needs none, unless a page sends it', async () => {
  expect(await call('POST', '/ring')).toEqual({ status: 200, body: { rung: {} } });
  const fromPage = await fetch(`${base}/ring`, {
    method: 'POST',
    headers: { Origin: 'http://evil.example' },
  });
  expect(fromPage.status).toBe(415);
});

test('a part of a path is given to its route, unless a route has that very path', async () => {
  expect((await call('GET', '/bells/7')).body).toEqual({ bell: '7' });
  expect((await call('GET', '/bells/all')).body).toEqual({ bells: 2 });
  expect((await call('POST', '/bells/big/ring')).body).toEqual({ rung: 'big' });
  for (const path of ['/bells/', '/bells/7/8', '/bells/big/ring'])
    expect((await call('GET', path)).status).toBe(404);
  expect((await call('POST', '/bells/ring')).status).toBe(404);
});

test('a protocol of its own comes before the control', async () => {
  expect(await call('GET', '/own')).toEqual({ status: 200, body: 'its own' });
});

test('a port that is taken is named', async () => {
  const { port } = control.server.address() as AddressInfo;
  const other = createControl({ title: 'Other', about: 'Of a test.', calls: { pay: 'it pays' } });
  await expect(listenOnLoopback(other.server, port, 'OTHER_PORT')).rejects.toThrow(
    /^OTHER_PORT: port \d+ cannot be used/,
  );
});
