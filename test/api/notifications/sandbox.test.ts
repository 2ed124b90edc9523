/** Events that development makes by hand. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { makeSandboxEvent } from '../../../api/notifications/sandbox-operations.ts';
import { openBank, type Bank } from '../../support/bank/bank.ts';
import { feedOf } from '../../support/bank/notifications.ts';
import { codeOf } from '../../support/client.ts';
import { serve, type FrameWorld } from '../../support/stack/frame-world.ts';

let bank: Bank;
let world: FrameWorld;
beforeAll(async () => {
  bank = openBank();
  world = await serve([makeSandboxEvent]);
});
afterAll(() => Promise.all([world.close(), bank.close()]));

test('an event that is made twice counts once', async () => {
  const customer = await bank.customer();
  const body = {
    ...{ event_id: randomUUID(), type: 'ticket_reply', user_id: customer.id },
    variables: { number: 'T-7' },
  };
  const answers = [];
  for (let times = 0; times < 3; times++)
    answers.push(await world.call('POST', '/v1/sandbox/events', { body }));
  expect(answers.map((answer) => answer.body)).toEqual([
    { written: true },
    { written: false },
    { written: false },
  ]);
  expect((await feedOf(customer, 1)).items).toMatchObject([{ title: 'Support has answered ticket T-7' }]);
  for (const wrong of [{ user_id: randomUUID() }, { type: 'no_such_type' }])
    expect(codeOf(await world.call('POST', '/v1/sandbox/events', { body: { ...body, ...wrong } }))).toBe(
      'invalid_request',
    );
});
