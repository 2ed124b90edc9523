/** What every declared operation owes its callers, tested from the declarations alone; and its story, told by hand. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import type { Operation } from '../../../api/declaration/operation.ts';
import { operations } from '../../../api/operations.ts';
import { needsFreshFactor } from '../../../api/pipeline/factors/fresh-factor.ts';
import { isLinked } from '../../../api/pipeline/factors/step-up.ts';
import { learnAssets } from '../../../domain/assets.ts';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';
import { apiClient, newKey, type Answered, type CallOptions } from '../../support/client.ts';
import {
  bodyExample,
  callerOf,
  callMadeUp,
  fieldsOf,
  ofAnotherType,
  pathOf,
} from '../../support/declared/operations.ts';
import { mailboxOf } from '../../support/stack/inbox.ts';
import { stack } from '../../support/stack/stack.ts';
import { claimsOf } from '../../support/stack/vault.ts';
import { stories } from '../stories.ts';
import type { Made, Performed } from '../story.ts';
import { tellAhead, type Telling } from '../told-ahead.ts';

const DEFAULT_LIMIT_BYTES = 100_000;
/** The shape of its body and query is Temporal's, whose Web UI may come to send more. */
const OF_ANOTHER_PROTOCOL = ['decodePayloads'];

let bank: Bank;
/** Persons of this bank hold tokens that are ours in everything but their audience. */
let otherAudience: Bank;
let telling: Telling;
beforeAll(() => {
  bank = openBank();
  otherAudience = openBank(stack.api, { ...stack.serviceEnv, TOKEN_AUDIENCE: 'elsewhere' });
  const order = operations.map(({ id }) => id);
  telling = tellAhead(stories, order, bank);
});
afterAll(async () => {
  await telling.settled();
  await Promise.all([bank.close(), otherAudience.close()]);
});

async function learnAll(): Promise<void> {
  const assets = await bank.asOwner('select code, kind, scale from assets');
  learnAssets(
    assets.map(({ code, kind, scale }) => ({ code: String(code), kind: String(kind), scale: Number(scale) })),
  );
}

const AskedForPayment = z.looseObject({
  challenge_id: z.uuid(),
  approves: z.strictObject({
    amount: z.strictObject({ amount: z.string(), currency: z.string() }),
    target_amount: z.null(),
    payee: z.string().min(1),
    text: z.string(),
  }),
});
const Faults = z.looseObject({ code: z.string(), errors: z.array(z.looseObject({ pointer: z.string() })) });
const pointersOf = (answer: Answered): string[] => answer.as(Faults).errors.map(({ pointer }) => pointer);
const byTitle = (list: readonly Operation[]) =>
  list.map((operation) => [`${operation.method} ${operation.path}`, operation] as const);
const needsStepUp = ({ access }: Operation): boolean => 'stepUp' in access && access.stepUp;

const ofOurProtocol = operations.filter(
  ({ id, access }) => access.auth !== 'signature' && !OF_ANOTHER_PROTOCOL.includes(id),
);
const withToken = operations.filter(({ access }) => access.auth === 'user' || access.auth === 'admin');
const forAdmins = operations.filter(({ access }) => access.auth === 'admin');
const withBody = operations.filter(({ body, access }) => body !== undefined && access.auth !== 'signature');
const withId = operations.filter(({ path }) => path.includes('{'));

test('every operation has a story, and every story an operation', () => {
  expect(Object.keys(stories).toSorted()).toEqual(operations.map(({ id }) => id).toSorted());
});

describe.each(byTitle(withToken))('%s', (_title, operation) => {
  test('is refused without a token, and with one made for somebody else', async () => {
    const stranger =
      operation.access.auth === 'admin' ? await otherAudience.admin() : await otherAudience.customer();
    const without = await callMadeUp(operation, undefined);
    const foreign = await callMadeUp(operation, stranger);
    for (const answer of [without, foreign]) {
      expect(answer.status).toBe(401);
      expect(answer.body).toMatchObject({ code: 'unauthenticated' });
    }
    expect(without.headers.get('WWW-Authenticate')).toBe('Bearer');
    expect(foreign.headers.get('WWW-Authenticate')).toBe('Bearer error="invalid_token"');
  });
});

describe.each(byTitle(forAdmins))('%s', (_title, operation) => {
  const permission = operation.access.auth === 'admin' ? operation.access.permission : '';
  const andWhom = permission === null ? '' : ', and to an admin without its permission';
  test(`is refused to a customer${andWhom}`, async () => {
    const without = permission === null ? [] : [await bank.admin('something:else')];
    for (const person of [await bank.customer(), ...without]) {
      const answer = await callMadeUp(operation, person);
      expect(answer.status).toBe(403);
      expect(answer.body).toMatchObject({
        code: 'forbidden',
        ...(permission === null ? {} : { permission }),
      });
    }
  });
});

describe.each(byTitle(operations.filter(needsStepUp)))('%s', (_title, operation) => {
  test('is refused without a step-up, and with one made for another operation', async () => {
    const caller = await callerOf(operation, bank);
    const tokens = [
      ['missing', undefined],
      ['other_operation', await caller?.stepUp('anotherOperation')],
      ['invalid', caller?.token],
    ] as const;
    for (const [reason, stepUp] of tokens) {
      const answer = await callMadeUp(operation, caller, { stepUp });
      expect(answer.status).toBe(401);
      expect(answer.body).toMatchObject({ code: 'step_up_required', reason, operation: operation.id });
      expect(answer.headers.get('WWW-Authenticate')).toContain('error="insufficient_user_authentication"');
    }
  });
});

describe.each(byTitle(operations.filter(needsFreshFactor)))('%s', (_title, operation) => {
  test('is refused to an admin whose second factor is older than a quarter of an hour', async () => {
    const caller = await callerOf(operation, bank);
    await bank.asOwner(`update sessions set proved_at = now() - interval '901 seconds' where user_id = $1`, [
      caller?.id,
    ]);
    const answer = await callMadeUp(operation, caller);
    expect(answer.body).toMatchObject({
      ...{ status: 401, code: 'step_up_required', reason: 'factor_too_old', max_age: 900 },
      ...{ operation: operation.id, step_up: 'initiateStepUp' },
    });
    expect(answer.headers.get('WWW-Authenticate')).toBe(
      'Bearer error="insufficient_user_authentication", max_age="900"',
    );
  });
});

describe.each(byTitle(withBody))('%s', (_title, operation) => {
  let caller: Person | undefined;
  beforeAll(async () => {
    caller = await callerOf(operation, bank);
  });
  const send = (body: unknown): Promise<Answered> => callMadeUp(operation, caller, { body });

  const fields = fieldsOf(operation.body);
  const example = bodyExample(operation);
  const required = Object.entries(fields)
    .filter(([, field]) => !z.safeParse(field, undefined).success)
    .map(([name]) => name);
  const typed = Object.keys(example).filter((name) => {
    const field = fields[name];
    return field !== undefined && !z.safeParse(field, ofAnotherType(example[name])).success;
  });

  if (ofOurProtocol.includes(operation)) {
    test('refuses an unknown field, with a pointer to it', async () => {
      const answer = await send({ ...example, surely_unknown: true });
      expect(answer.status).toBe(400);
      expect(pointersOf(answer)).toEqual(['/surely_unknown']);
    });
  }

  if (required.length > 0) {
    test('refuses a body that lacks a required field, with a pointer to it', async () => {
      for (const name of required) {
        const answer = await send({ ...example, [name]: undefined });
        expect({ name, status: answer.status, pointers: pointersOf(answer) }).toEqual({
          name,
          status: 400,
          pointers: [`/${name}`],
        });
      }
    });
  }

  if (typed.length > 0) {
    test('refuses a field of another type, with a pointer to it', async () => {
      for (const name of typed) {
        const answer = await send({ ...example, [name]: ofAnotherType(example[name]) });
        expect({ name, status: answer.status }).toEqual({ name, status: 400 });
        expect(
          pointersOf(answer).every((pointer) => pointer === `/${name}` || pointer.startsWith(`/${name}/`)),
        ).toBe(true);
      }
    });
  }

  test('takes JSON only, whole, and no more than its limit', async () => {
    const bytes = JSON.stringify(bodyExample(operation));
    const form = await callMadeUp(operation, caller, { bytes, headers: { 'Content-Type': 'text/plain' } });
    const half = await callMadeUp(operation, caller, { bytes: bytes.slice(0, -1) });
    const limit = operation.bodyLimit ?? DEFAULT_LIMIT_BYTES;
    const large = await callMadeUp(operation, caller, { bytes: bytes.padEnd(limit + 1) });
    expect([form, half, large].map(({ status }) => status)).toEqual([415, 400, 413]);
    expect(half.body).toMatchObject({ code: 'malformed_json' });
  });
});

describe.each(byTitle(withId))('%s', (_title, operation) => {
  test('refuses a malformed id and does not find an unknown one', async () => {
    const caller = await callerOf(operation, bank);
    const malformed = await callMadeUp(operation, caller, {
      path: pathOf(operation.path, operation.params, 'no%20id'),
    });
    expect([400, 404]).toContain(malformed.status);
    const unknown = await callMadeUp(operation, caller);
    expect(unknown.body).toMatchObject({ status: 404, code: 'not_found' });
  });
});

describe.each(byTitle(ofOurProtocol))('%s', (_title, operation) => {
  test('refuses an unknown query parameter', async () => {
    const caller = await callerOf(operation, bank);
    const answer = await callMadeUp(operation, caller, { query: { surely_unknown: '1' } });
    expect(answer.status).toBe(400);
    expect(pointersOf(answer)).toEqual(['query/surely_unknown']);
  });
});

/** What was booked is answered as it is now, and by now it may have waited for a second more. */
const bookedText = ({ text }: Answered): string =>
  text.replace(/"waiting_seconds":\d+/, '"waiting_seconds":0');

describe.each(byTitle(operations.filter(({ id }) => stories[id] !== undefined)))(
  'the story of %s',
  (_title, operation) => {
    let told: Performed;
    beforeAll(async () => {
      told = await telling.told(operation.id);
    });
    const newStranger = async (of: Operation): Promise<CallOptions> => {
      const person = await bank.customer();
      const body = of.body === undefined ? undefined : bodyExample(of);
      return { token: person.token, stepUp: needsStepUp(of) ? await person.stepUp(of.id, body) : undefined };
    };
    const again = (changes: Partial<Made>): Promise<Answered> => {
      const { method, path, ...options } = { ...told.made, ...changes };
      return apiClient().call(method, path, options);
    };

    test('ends well, and its answer fits the declaration', async () => {
      const { status, body, headers, text } = told.answer;
      // the answer may name what another test has added
      await learnAll();
      const waits = status === 202 && operation.waiting !== undefined;
      expect({ status, body }).toMatchObject({ status: waits ? 202 : operation.status });
      expect(headers.get('X-Request-Id')).not.toBeNull();
      if (waits) expect(operation.waiting?.safeParse(body).error?.issues).toBeUndefined();
      else if (operation.answer === null) expect(text).toBe('');
      else expect(operation.answer.safeParse(body).error?.issues).toBeUndefined();
      // of an empty list nothing is checked
      if (operation.method === 'GET') expect(body ?? {}).not.toMatchObject({ items: [] });
    });

    if (operation.idempotency !== 'none') {
      test('repeated with its key gets the same answer', async () => {
        expect(told.made.key).toBeDefined();
        const repeated = await again({});
        expect([repeated.status, bookedText(repeated)]).toEqual([
          told.answer.status,
          bookedText(told.answer),
        ]);
        expect(repeated.headers.get('Idempotent-Replayed')).toBe('true');
      });
    }

    if (operation.idempotency !== 'none' && operation.body !== undefined) {
      test('repeated with its key and another body is refused', async () => {
        expect(told.otherBody).toBeDefined();
        const other = await again({ body: told.otherBody });
        expect(other.body).toMatchObject({ status: 409, code: 'idempotency_key_reused' });
      });
    }

    if (isLinked(operation)) {
      test('is confirmed for its very request, with amount and payee told, and for nothing else', async () => {
        const { token, body } = told.made;
        const asked = await apiClient().call('POST', '/v1/auth/step-up', {
          ...{ token, body: { operation: operation.id, request: body } },
        });
        const { challenge_id, approves } = asked.as(AskedForPayment);
        const { sub } = claimsOf(token ?? '');
        const mail = mailboxOf(`${String(sub)}@bank.test`);
        const { text } = await mail.saying(approves.text);
        expect(approves.text).toContain(approves.payee);
        expect(approves.text).toContain(`${approves.amount.amount} ${approves.amount.currency}`);
        const code = /\d{6}/.exec(text)?.[0];
        const proven = await apiClient().call('POST', '/v1/auth/step-up/verify', {
          ...{ token, body: { challenge_id, code } },
        });
        const { step_up_token: stepUp } = proven.as(z.looseObject({ step_up_token: z.string() }));

        const other = await again({ stepUp, key: newKey(), body: told.otherBody });
        expect(other.body).toMatchObject({ code: 'step_up_required', reason: 'other_request' });
        const turned = Object.fromEntries(Object.entries(z.looseObject({}).parse(body)).toReversed());
        const path = (await told.another?.()) ?? told.made.path;
        expect((await again({ path, stepUp, key: newKey(), body: turned })).status).toBe(operation.status);
        const twice = await again({ path, stepUp, key: newKey() });
        expect(twice.body).toMatchObject({ code: 'step_up_required', reason: 'spent' });
      });

      test('is not confirmed without its request, nor for one that its schema refuses', async () => {
        const ask = (request?: object): Promise<Answered> =>
          apiClient().call('POST', '/v1/auth/step-up', {
            ...{ token: told.made.token, body: { operation: operation.id, request } },
          });
        expect(pointersOf(await ask())).toEqual(['/request']);
        const wrong = { ...z.looseObject({}).parse(told.made.body), surely_unknown: true };
        expect(pointersOf(await ask(wrong))).toEqual(['/request/surely_unknown']);
      });
    }

    if (operation.access.auth === 'user' && operation.path.includes('{')) {
      test('is nothing to somebody else', async () => {
        const key = operation.idempotency === 'none' ? undefined : newKey();
        const answer = await again({ ...(told.stranger ?? (await newStranger(operation))), key });
        expect(answer.body).toMatchObject({ status: 404, code: 'not_found' });
      });
    }

    if (operation.method === 'PATCH' && !needsStepUp(operation)) {
      test('is refused where the caller has seen another version', async () => {
        const answer = await again({ headers: { 'If-Match': '"another-version"' } });
        const versioned = operations.some(({ method, path }) => method === 'GET' && path === operation.path);
        expect(answer.body).toMatchObject(
          versioned ? { status: 409, code: 'etag_mismatch' } : { status: 400 },
        );
      });
    }
  },
);
