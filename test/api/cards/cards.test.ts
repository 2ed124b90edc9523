/** Cards: what each kind needs, who blocks and lifts what, replacing and closing, and who sees what of a number. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { loadConfig } from '../../../config.ts';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';
import { call, closeAccount, Listed } from '../../support/bank/accounts.ts';
import {
  askForCard,
  CardAnswer,
  cardPlan,
  cvvOf,
  newCard,
  newPaymentSystem,
  newProduct,
  newRange,
  numberOf,
  shipping,
} from '../../support/bank/cards.ts';
import { codeOf } from '../../support/client.ts';
import { startService } from '../../support/stack/processes.ts';
import { stack } from '../../support/stack/stack.ts';

let bank: Bank;
let office: Person;
let holder: Person;
let productId: string;
beforeAll(async () => {
  bank = openBank();
  office = await bank.admin('cards:read', 'cards:write', 'cards:issue');
  holder = await bank.customer();
  ({ productId } = await cardPlan(bank));
});
afterAll(() => bank.close());

const own = (card: { id: string }, method: 'GET' | 'PATCH', body?: object) =>
  call(holder, method, `/v1/cards/${card.id}`, body);
const byOffice = (card: { id: string }, status: string) =>
  call(office, 'PATCH', `/v1/admin/cards/${card.id}`, { status, reason: 'Asked for' });
const close = (card: { id: string }) => call(holder, 'POST', `/v1/cards/${card.id}/close`);
const replace = async (card: { id: string }, reason = 'lost') =>
  call(
    holder,
    'POST',
    `/v1/cards/${card.id}/replace`,
    { reason },
    { stepUp: await holder.stepUp('replaceCard') },
  );
const activate = async (card: { id: string }) =>
  call(holder, 'POST', `/v1/cards/${card.id}/activate`, undefined, {
    stepUp: await holder.stepUp('activateCard'),
  });

describe('issuing', () => {
  test('a virtual card is active at once, and its last four digits are those of its number', async () => {
    const card = await newCard(bank, holder, productId);
    const number = await numberOf(holder, card);
    expect(card).toMatchObject({ status: 'active', last_four: number.slice(-4), blocked_by: null });
    expect(number).toMatch(/^9\d{15}$/);
    expect(JSON.stringify(card)).not.toContain(number);
    const inFourYears = new Date().getUTCFullYear() + 4;
    expect(card.expiry).toMatch(new RegExp(`^\\d\\d/${String(inFourYears).slice(2)}$`));
  });

  test('a physical card needs an address, and pays once it is activated', async () => {
    const { productId: product } = await cardPlan(bank, { kind: 'physical' });
    const { id: account } = await bank.account(holder);
    const bare = await askForCard(holder, account, product);
    expect(bare.body).toMatchObject({
      status: 400,
      errors: [{ pointer: '/shipping_address', code: 'required' }],
    });
    const answer = await askForCard(holder, account, product, { shipping_address: shipping });
    const card = answer.as(CardAnswer);
    expect(card).toMatchObject({ status: 'inactive', activated_at: null, shipping: { address: shipping } });
    expect(codeOf(await own(card, 'PATCH', { status: 'blocked' }))).toBe('card_inactive');
    expect((await activate(card)).body).toMatchObject({ status: 'active' });
    expect((await activate(card)).body).toMatchObject({ status: 'active' });
    const again = (await replace(card, 'damaged')).as(CardAnswer);
    expect(again).toMatchObject({ status: 'inactive', replaces: card.id, shipping: { address: shipping } });
  });

  test('a card is locked to its merchant, and a single-use card to its amount', async () => {
    const { id: account } = await bank.account(holder);
    const { productId: locked } = await cardPlan(bank, { kind: 'merchant_locked' });
    const { productId: single } = await cardPlan(bank, { kind: 'single_use' });
    expect((await askForCard(holder, account, locked, { merchant_id: 'SHOP1' })).body).toMatchObject({
      merchant_id: 'SHOP1',
    });
    const amount = { amount: '12.00', currency: 'EUR' };
    expect((await askForCard(holder, account, single, { amount })).body).toMatchObject({ amount });
    const wrong = await askForCard(holder, account, single, { merchant_id: 'SHOP1' });
    expect(wrong.body).toMatchObject({ errors: [{ pointer: '/merchant_id', code: 'not_for_this_kind' }] });
    const dollars = await askForCard(holder, account, single, {
      amount: { amount: '1.00', currency: 'USD' },
    });
    expect(dollars.body).toMatchObject({ errors: [{ pointer: '/amount/currency' }] });
  });

  test('a product that is disabled, unknown or for other accounts gives no card', async () => {
    const { id: account } = await bank.account(holder);
    const [type] = await bank.asOwner(`select id from account_types where code = 'business_eur'`);
    const { productId: business } = await cardPlan(bank, { account_type_ids: [type?.['id']] });
    expect(codeOf(await askForCard(holder, account, business))).toBe('card_product_unavailable');
    const { productId: off } = await cardPlan(bank);
    await call(office, 'PATCH', `/v1/admin/card-products/${off}`, { enabled: false });
    expect(codeOf(await askForCard(holder, account, off))).toBe('card_product_unavailable');
    const unknown = await askForCard(holder, account, holder.id);
    expect(unknown.body).toMatchObject({ errors: [{ pointer: '/card_product_id' }] });
    await closeAccount(holder, account);
    expect(codeOf(await askForCard(holder, account, productId))).toBe('account_closed');
    const { id: blocked } = await bank.account(holder);
    await bank.asOwner(`update accounts set status = 'blocked' where id = $1`, [blocked]);
    expect(codeOf(await askForCard(holder, blocked, productId))).toBe('account_blocked');
  });

  test('numbers end: twenty at once get the ten that there are, and none comes twice', async () => {
    const system = await newPaymentSystem(office, { iin_ranges: [newRange(10)] });
    const product = await newProduct(bank, office, system.id);
    const { id: account } = await bank.account(holder);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => askForCard(holder, account, product.id)),
    );
    const issued = answers.filter(({ status }) => status === 201);
    expect(issued).toHaveLength(10);
    const refused = answers.filter(({ status }) => status !== 201).map((answer) => codeOf(answer));
    expect(new Set(refused)).toEqual(new Set(['range_exhausted']));
    const path = `/v1/admin/card-payment-systems/${system.id}`;
    expect((await call(office, 'GET', path)).body).toMatchObject({ iin_ranges: [{ remaining: 0 }] });
    const numbers = await Promise.all(issued.map((answer) => numberOf(holder, answer.as(CardAnswer))));
    expect(new Set(numbers).size).toBe(10);
    // the count says that there are some, the numbers say that there are none
    await bank.asOwner('update card_iin_ranges set issued = 9 where payment_system_id = $1', [system.id]);
    expect(codeOf(await askForCard(holder, account, product.id))).toBe('range_exhausted');
  });

  test('with a new account both come or neither, and a type for request is refused', async () => {
    const person = await bank.customer();
    const open = async (code: string, product: string) => {
      const [type] = await bank.asOwner('select id from account_types where code = $1', [code]);
      const stepUp = await person.stepUp('openAccountAndIssueCard');
      const body = { account_type_id: type?.['id'], card_product_id: product };
      return call(person, 'POST', '/v1/cards', body, { stepUp });
    };
    expect(codeOf(await open('business_eur', productId))).toBe('account_type_unavailable');
    const { productId: off } = await cardPlan(bank, { enabled: false });
    expect(codeOf(await open('current_eur', off))).toBe('card_product_unavailable');
    expect((await call(person, 'GET', '/v1/accounts')).as(Listed).items).toEqual([]);
    expect(await open('current_eur', productId)).toMatchObject({ status: 201 });
    expect((await call(person, 'GET', '/v1/cards')).as(Listed).items).toHaveLength(1);
  });

  test('an administrator issues for others, never for themselves, and a stranger for nobody', async () => {
    const [{ id: account }, { id: mine }] = [await bank.account(holder), await bank.account(office)];
    const body = { card_product_id: productId };
    expect(await call(office, 'POST', `/v1/admin/accounts/${account}/cards`, body)).toMatchObject({
      status: 201,
    });
    expect(codeOf(await call(office, 'POST', `/v1/admin/accounts/${mine}/cards`, body))).toBe('same_person');
    expect(codeOf(await askForCard(await bank.customer(), account, productId))).toBe('not_found');
  });
});

describe('blocks', () => {
  test('the holder lifts only the holder’s block, and the bank leaves it when it lifts its own', async () => {
    const card = await newCard(bank, holder, productId);
    expect((await own(card, 'PATCH', { status: 'blocked' })).body).toMatchObject({ blocked_by: 'customer' });
    expect((await own(card, 'PATCH', { status: 'active' })).body).toMatchObject({ status: 'active' });
    expect((await byOffice(card, 'blocked')).body).toMatchObject({ blocked_by: 'bank' });
    expect(codeOf(await own(card, 'PATCH', { status: 'active' }))).toBe('blocked_by_bank');
    expect((await byOffice(card, 'active')).body).toMatchObject({ status: 'active', blocked_by: null });
    await own(card, 'PATCH', { status: 'blocked' });
    expect((await byOffice(card, 'blocked')).body).toMatchObject({ blocked_by: 'bank' });
    expect((await byOffice(card, 'active')).body).toMatchObject({
      status: 'blocked',
      blocked_by: 'customer',
    });
    expect((await byOffice(card, 'active')).body).toMatchObject({ status: 'active' });
    const [entry] = await bank.asOwner(
      `select reason from audit_log where subject_id = $1 and action = 'card.unblocked' order by id desc limit 1`,
      [card.id],
    );
    expect(entry).toEqual({ reason: 'Asked for' });
  });

  test('a block of the bank keeps nobody from reporting a loss or closing the card', async () => {
    const [lost, unwanted] = [await newCard(bank, holder, productId), await newCard(bank, holder, productId)];
    for (const card of [lost, unwanted]) await byOffice(card, 'blocked');
    expect(codeOf(await replace(lost, 'damaged'))).toBe('blocked_by_bank');
    expect((await replace(lost)).body).toMatchObject({ replaces: lost.id });
    expect((await own(lost, 'GET')).body).toMatchObject({ status: 'closed', closed_reason: 'lost' });
    expect((await close(unwanted)).body).toMatchObject({ status: 'closed', closed_reason: 'customer' });
    expect(codeOf(await byOffice(lost, 'active'))).toBe('card_closed');
  });

  test('a card is not moved to another status, nor by a stranger', async () => {
    const card = await newCard(bank, holder, productId);
    expect((await own(card, 'PATCH', { status: 'closed' })).status).toBe(400);
    const stranger = await bank.customer();
    const tried = await call(stranger, 'PATCH', `/v1/cards/${card.id}`, { status: 'blocked' });
    expect(codeOf(tried)).toBe('not_found');
  });
});

describe('a damaged card', () => {
  const plastic = async (): Promise<CardAnswer> => {
    const plan = await cardPlan(bank, { kind: 'physical' });
    return newCard(bank, holder, plan.productId, { shipping_address: shipping });
  };
  const stateOf = async (card: CardAnswer) => (await own(card, 'GET')).body;

  test('works until one that follows it is activated, also if that is not the next one', async () => {
    const card = await plastic();
    await activate(card);
    const next = (await replace(card, 'damaged')).as(CardAnswer);
    expect(next).toMatchObject({ status: 'inactive', replaces: card.id });
    expect((await replace(card, 'damaged')).body).toMatchObject({ id: next.id });
    const last = (await replace(next)).as(CardAnswer);
    expect(last).toMatchObject({ status: 'inactive', replaces: next.id });
    expect(await stateOf(card)).toMatchObject({ status: 'active' });
    await activate(last);
    expect(await stateOf(card)).toMatchObject({ status: 'closed', closed_reason: 'damaged' });
    const told = await bank.asOwner('select action from audit_log where subject_id = $1 order by id', [
      card.id,
    ]);
    expect(told.map(({ action }) => action)).toEqual([
      ...['card.issued', 'card.activated', 'card.damaged', 'card.damaged', 'card.closed'],
    ]);
  });

  test('that the bank has blocked keeps the next one from being activated', async () => {
    const card = await plastic();
    await activate(card);
    const next = (await replace(card, 'damaged')).as(CardAnswer);
    await byOffice(card, 'blocked');
    expect(codeOf(await activate(next))).toBe('blocked_by_bank');
    expect(await stateOf(card)).toMatchObject({ status: 'blocked' });
    await byOffice(card, 'active');
    expect((await activate(next)).body).toMatchObject({ status: 'active' });
  });

  test('is replaced once, however many ask at the same time', async () => {
    const card = await plastic();
    await activate(card);
    const answers = await Promise.all([1, 2, 3].map(() => replace(card, 'damaged')));
    expect(new Set(answers.map((answer) => answer.as(CardAnswer).id)).size).toBe(1);
  });
});

test('a service without a key that a card needs does not start, and says which', async () => {
  await newCard(bank, holder, productId);
  const [key] = loadConfig(stack.serviceEnv).CARD_KEYS;
  for (const [name, program] of [
    ['keyless-api', 'api/main.ts'],
    ['keyless-worker', 'workers/main.ts'],
  ] as const) {
    const lines: string[] = [];
    const CARD_KEYS = `other:${randomBytes(32).toString('base64')}`;
    const child = await startService(name, program, { CARD_KEYS, PORT: '0' }, (line) => lines.push(line));
    expect(await child.ended).toBe(1);
    expect(lines.join('\n')).toContain(`  CARD_KEYS: lacks ${String(key?.split(':')[0])}, `);
  }
});

describe('the end', () => {
  test('a lost card is dead at once, and another one is there', async () => {
    const card = await newCard(bank, holder, productId);
    const [number, next] = [await numberOf(holder, card), (await replace(card)).as(CardAnswer)];
    expect(next).toMatchObject({ status: 'active', replaces: card.id, account_id: card.account_id });
    expect(await numberOf(holder, next)).not.toBe(number);
    expect((await own(card, 'GET')).body).toMatchObject({ status: 'closed', closed_reason: 'lost' });
    for (const tried of [
      await own(card, 'PATCH', { status: 'active' }),
      await replace(card),
      await activate(card),
    ])
      expect(codeOf(tried)).toBe('card_closed');
    expect((await close(card)).body).toMatchObject({ closed_reason: 'lost' });
    await expect(bank.asOwner(`update cards set status = 'active' where id = $1`, [card.id])).rejects.toThrow(
      /stands/,
    );
  });

  test('a stolen card is dead also if no other can be issued', async () => {
    const { productId: ended } = await cardPlan(bank);
    const card = await newCard(bank, holder, ended);
    const office = await bank.admin('cards:read', 'cards:write');
    const off = await call(office, 'PATCH', `/v1/admin/card-products/${ended}`, { enabled: false });
    expect(off.status).toBe(200);
    expect(codeOf(await replace(card, 'stolen'))).toBe('card_product_unavailable');
    expect((await own(card, 'GET')).body).toMatchObject({ status: 'closed', closed_reason: 'stolen' });
  });

  test('who has closed it is written, and an account takes its cards along', async () => {
    const [one, other, third] = [
      await newCard(bank, holder, productId),
      await newCard(bank, holder, productId),
      await newCard(bank, holder, productId),
    ];
    expect((await close(one)).body).toMatchObject({ status: 'closed', closed_reason: 'customer' });
    const path = `/v1/admin/cards/${other.id}/close`;
    expect((await call(office, 'POST', path, { reason: 'Left' })).body).toMatchObject({
      closed_reason: 'bank',
    });
    await closeAccount(holder, third.account_id);
    expect((await own(third, 'GET')).body).toMatchObject({
      status: 'closed',
      closed_reason: 'account_closed',
    });
  });
});

describe('secrets', () => {
  test('ten looks an hour, each in the audit log, and none at a closed card or another person’s', async () => {
    const card = await newCard(bank, holder, productId);
    expect(await cvvOf(holder, card)).toMatchObject({
      status: 200,
      body: { cvv: expect.stringMatching(/^\d{3}$/) },
    });
    const value = (await cvvOf(holder, card)).body;
    expect((await cvvOf(holder, card)).body).toEqual(value);
    const path = `/v1/cards/${card.id}/number`;
    const answers = await Promise.all(Array.from({ length: 12 }, () => call(holder, 'GET', path)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(7);
    const refused = answers.find(({ status }) => status !== 200);
    expect(refused?.status).toBe(429);
    expect(Number(refused?.headers.get('Retry-After'))).toBeGreaterThan(3_000);
    expect(answers[0]?.headers.get('Cache-Control')).toBe('no-store');
    const [looks] = await bank.asOwner(
      `select count(*)::int as looks from audit_log where subject_id = $1 and action like 'card.%_revealed' and actor_id = $2`,
      [card.id, holder.id],
    );
    expect(looks).toEqual({ looks: 10 });
    expect(codeOf(await call(await bank.customer(), 'GET', path))).toBe('not_found');
    const other = await newCard(bank, holder, productId);
    await close(other);
    expect(codeOf(await call(holder, 'GET', `/v1/cards/${other.id}/number`))).toBe('card_closed');
  });

  test('the verification value needs a step-up', async () => {
    const card = await newCard(bank, holder, productId);
    expect(codeOf(await call(holder, 'GET', `/v1/cards/${card.id}/cvv`))).toBe('step_up_required');
  });

  test('the application reads no secret, writes no card, and issues none for somebody else', async () => {
    const card = await newCard(bank, holder, productId);
    const app = new pg.Pool({ connectionString: stack.databaseUrl, max: 1 });
    try {
      for (const statement of [
        'select * from card_secrets',
        'select * from card_reveals',
        `update cards set status = 'active'`,
        'delete from card_reveals',
      ])
        await expect(app.query(statement)).rejects.toMatchObject({ code: '42501' });
      const stranger = await bank.customer();
      const shown = await app.query(`select refusal from card_reveal($1, $2, 'number', null, null)`, [
        card.id,
        stranger.id,
      ]);
      expect(shown.rows).toEqual([{ refusal: 'not_found' }]);
      await expect(
        app.query(`select card_move($1, 'block', $2, null)`, [card.id, stranger.id]),
      ).rejects.toMatchObject({ code: '28T01' });
      const issue = `select card_issue(uuidv7(), $1, $2, null, null, null, null, 1, '[]', 'k', $3) as refusal`;
      await expect(app.query(issue, [card.account_id, productId, stranger.id])).rejects.toMatchObject({
        code: '28T01',
      });
      expect((await app.query(issue, [stranger.id, productId, stranger.id])).rows).toEqual([
        { refusal: 'not_found' },
      ]);
      // a number outside of every range
      expect((await app.query(issue, [card.account_id, productId, holder.id])).rows).toEqual([
        { refusal: 'range_exhausted' },
      ]);
      const moved = await app.query(`select card_move($1, 'block', $1, null) as refusal`, [stranger.id]);
      expect(moved.rows).toEqual([{ refusal: 'not_found' }]);
    } finally {
      await app.end();
    }
  });

  test('no number stands in clear in any table', async () => {
    const card = await newCard(bank, holder, productId);
    const number = await numberOf(holder, card);
    const tables = await bank.asOwner(`select tablename from pg_tables where schemaname = 'public'`);
    for (const { tablename } of tables) {
      const [found] = await bank.asOwner(
        `select count(*)::int as found from "${String(tablename)}" t where strpos(t::text, $1) > 0`,
        [number],
      );
      expect({ tablename, ...found }).toEqual({ tablename, found: 0 });
    }
  });
});
