/** An administrator's second factor grows old, and a step-up renews it. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { openBank, TransferAnswer, type Bank } from '../../support/bank/bank.ts';
import { admin, stepUp } from '../../support/bank/people.ts';
import { newKey } from '../../support/client.ts';
import { claimsOf } from '../../support/stack/vault.ts';

let bank: Bank;
beforeAll(() => {
  bank = openBank();
});
afterAll(() => bank.close());

const Refused = z.looseObject({ code: z.string(), reason: z.string(), operation: z.string() });
const age = (user: unknown, seconds: number): Promise<unknown> =>
  bank.asOwner('update sessions set proved_at = now() - make_interval(secs => $2) where user_id = $1', [
    user,
    seconds,
  ]);

test('a stolen session of an administrator books nothing after a quarter of an hour, and a step-up opens it again', async () => {
  const maker = await admin(['adjustments:write', 'accounts:read']);
  const { sub } = claimsOf(maker.token);
  const account = await bank.account(await bank.customer());
  const body = {
    account_id: account.id,
    direction: 'credit',
    amount: { amount: '5.00', currency: 'EUR' },
    reason: 'goodwill',
  };
  const key = newKey();
  const adjust = (withKey = newKey()) => maker.call('POST', '/v1/admin/adjustments', { key: withKey, body });

  await age(sub, 870);
  const made = await adjust(key);
  expect(made.status).toBe(201);
  await age(sub, 901);
  const refused = (await adjust()).as(Refused);
  expect(refused).toMatchObject({ code: 'step_up_required', reason: 'factor_too_old' });
  // reading goes on, and what was booked is told again
  expect((await maker.call('GET', '/v1/admin/accounts')).status).toBe(200);
  expect((await adjust(key)).as(TransferAnswer).id).toBe(made.as(TransferAnswer).id);

  await stepUp(maker, refused.operation);
  expect((await adjust()).status).toBe(201);
});

test('the proof of one session does not open another one of the same administrator', async () => {
  const first = await admin(['fx:write']);
  const { sub } = claimsOf(first.token);
  await age(sub, 901);
  await bank.asOwner(
    `insert into sessions (user_id, amr, address, proved_at, expires_at)
     values ($1, '{pwd,otp}', '127.0.0.1', now(), now() + interval '1 day')`,
    [sub],
  );
  const answer = await first.call('PUT', '/v1/admin/fx-rates/EUR/USD', {
    body: { rate: '1.1', spread_bps: '5' },
  });
  expect(answer.body).toMatchObject({ code: 'step_up_required', reason: 'factor_too_old' });
});
