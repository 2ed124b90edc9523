/**
 * Cards are issued, paid with, replaced, closed, sent, renewed and expired, their payments are disputed and the disputes decided, and whoever
 * does it is killed before each of its awaits. There is one card for each wish, one hold for each payment and one credit for each dispute,
 * none is left once it has run out, and every process goes on.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { createCardVault, type CardVault } from '../../adapters/card-vault.ts';
import { createCipher } from '../../adapters/cipher.ts';
import { connectTemporal, type Temporal } from '../../adapters/temporal.ts';
import { loadConfig } from '../../config.ts';
import { AccountId, CardDisputeId, CardId } from '../../domain/ids.ts';
import { launch } from '../../db/queries/platform/outbox.ts';
import { transaction } from '../../db/transaction.ts';
import { disputeProcess } from '../../workflows/card-dispute/process.ts';
import { cardProcess } from '../../workflows/card/process.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { approved, euro } from '../support/bank/accounts.ts';
import { openBank, type AccountAnswer, type Bank, type Person } from '../support/bank/bank.ts';
import { clear, newMessage, newPaymentId, takeMessage } from '../support/bank/card-books.ts';
import { DisputeAnswer, NOT_RECEIVED } from '../support/bank/card-disputes.ts';
import { newRrn, newStan, shop, signed } from '../support/bank/card-network.ts';
import { CardAnswer, cardPlan, shipping } from '../support/bank/cards.ts';
import { newKey } from '../support/client.ts';
import { isShown, untilShown } from '../support/processes/started.ts';
import { openBranch, type Branch } from '../support/stack/branch.ts';
import { answersAfterKills, send, startDoomed, type Ask, type Told } from '../support/stack/killed-calls.ts';
import { until, untilPolling } from '../support/stack/processes.ts';

const CALLS = ['issue', 'pay', 'replace', 'close', 'dispute', 'decide'] as const;
type Call = (typeof CALLS)[number];
/** More than each has awaits, so that the last ones are over before the worker is killed and none is left out. */
const AWAITS = { sent: 14, renewed: 26, expired: 14 } as const;
type Step = keyof typeof AWAITS;
const STEPS = ['sent', 'renewed', 'expired'] as const satisfies readonly Step[];
/** Days until the last one of a card that has something due. */
const DAYS_LEFT = { renewed: 50, expired: -1 } as const;
/** `npm run test:killed` asks for twenty. */
const ROUNDS = Number(process.env['KILLED_ROUNDS'] ?? '1');

const upTo = (most: number): number[] => Array.from({ length: most }, (_, place) => place + 1);

let branch: Branch;
let bank: Bank;
let temporal: Temporal;
let books: Books;
let vault: CardVault;
let holder: Person;
let account: AccountAnswer;
/** Products of a virtual card and of one that is sent; the first issue of a card of either costs something. */
let virtual: string;
let physical: string;
/** Decides disputes. */
let office: Person;

beforeAll(async () => {
  branch = await openBranch();
  await Promise.all([branch.startApi(), branch.startWorker()]);
  const config = loadConfig(branch.env);
  temporal = connectTemporal(config, createCipher(config.ENCRYPTION_KEYS), []);
  vault = createCardVault(config.CARD_KEYS);
  books = openBooks({
    url: branch.env['DATABASE_URL'] ?? '',
    ownerUrl: branch.env['DATABASE_OWNER_URL'] ?? '',
  });
});
// a round issues some hundred cards, and tokens last for some rounds
beforeEach(async () => {
  bank = openBank(branch.api, branch.env);
  holder = await bank.customer();
  account = await bank.fundedAccount(holder, '100000.00');
  const terms = { limits: [], sca: { mode: 'off' } };
  virtual = (await cardPlan(bank, terms)).productId;
  physical = (await cardPlan(bank, { ...terms, kind: 'physical' })).productId;
  office = await bank.admin('fees:write', 'cards:read', 'cards:write');
  const rule = {
    code: `f${newKey().replaceAll('-', '')}`,
    purpose: 'card_issue',
    currency: 'EUR',
    description: 'Card',
  };
  const made = await approved(bank, office, 'POST', '/v1/admin/fee-rules', {
    ...{ ...rule, card_product_id: physical, flat: euro('1.00') },
  });
  expect(made).toMatchObject({ status: 201 });
  await Promise.all([branch.killApi(), branch.killWorker()]);
});
afterEach(() => bank.close());
afterAll(async () => {
  await Promise.all([temporal.close(), books.close()]);
  await branch.close();
});

async function issue(product: string, more: object = {}): Promise<CardAnswer> {
  const answer = await holder.client.call('POST', `/v1/accounts/${account.id}/cards`, {
    ...{ token: holder.token, key: newKey(), stepUp: await holder.stepUp('issueCard') },
    body: { card_product_id: product, ...more },
  });
  return answer.as(CardAnswer);
}

async function panOf({ id }: CardAnswer): Promise<string> {
  const answer = await holder.client.call('GET', `/v1/cards/${id}/number`, { token: holder.token });
  return answer.as(z.object({ number: z.string() })).number;
}

/** Something that somebody wants, with a key of its own; a step-up is for one attempt. */
function byPerson(person: Person, path: string, body: object, operation?: string): Ask {
  const key = newKey();
  const options = async () => ({
    ...{ token: person.token, key, body },
    ...(operation === undefined ? {} : { stepUp: await person.stepUp(operation) }),
  });
  return { method: 'POST', path, options };
}
const byHolder = (path: string, body: object, operation?: string) => byPerson(holder, path, body, operation);

interface UsedCard {
  readonly pan: string;
  readonly expiry: string;
}

let cleared: Promise<unknown> = Promise.resolve();

/** A payment of 10.00 that was cleared. One after the other, because a record is left for later while another one is booked. */
function clearedPayment(card: UsedCard): Promise<string> {
  const payment = cleared.then(() => newClearedPayment(card));
  cleared = payment;
  return payment;
}

async function newClearedPayment({ pan, expiry }: UsedCard): Promise<string> {
  const [index = ''] = vault.indexes(pan);
  const card = { account: AccountId.parse(account.id), index };
  const payment = newPaymentId();
  const request = { ...newMessage('0100', 'purchase', 'first', 1_000), payment, said: { expiry } };
  expect((await takeMessage(books, card, request)).reason).toBe('approved');
  await clear(books, card, { kind: 'purchase', amount: 1_000, isFinal: true }, { payment });
  const [row] = await rows('select id from card_payments where network_id = $1', payment);
  return z.uuid().parse(row?.['id']);
}

async function disputeAsk(card: UsedCard): Promise<Ask> {
  return byHolder(`/v1/card-payments/${await clearedPayment(card)}/disputes`, NOT_RECEIVED);
}

function payAsk({ pan }: UsedCard): Ask {
  const message = {
    ...{ type: '0100', payment_id: newKey(), stan: newStan(), rrn: newRrn(), purpose: 'purchase' },
    ...{ billing: euro('10.00'), pan, merchant: shop, entry_mode: 'recurring' },
  };
  const options = () => Promise.resolve(signed(message));
  return { method: 'POST', path: '/v1/cards/network/messages', options };
}

async function askFor(deed: Call, used: UsedCard): Promise<Ask> {
  switch (deed) {
    case 'issue':
      return byHolder(`/v1/accounts/${account.id}/cards`, { card_product_id: virtual }, 'issueCard');
    case 'pay':
      return payAsk(used);
    case 'dispute':
      return disputeAsk(used);
    case 'decide': {
      const { id } = (await send(holder.client, await disputeAsk(used))).as(DisputeAnswer);
      const decision = { decision: 'accept', reason: 'Looked at' };
      return byPerson(office, `/v1/admin/card-disputes/${id}/decide`, decision);
    }
    case 'replace': {
      const { id } = await issue(virtual);
      return byHolder(`/v1/cards/${id}/replace`, { reason: 'lost' }, 'replaceCard');
    }
    case 'close':
      return byHolder(`/v1/cards/${(await issue(virtual)).id}/close`, {});
  }
}

/** Each of them is asked for once for each of its awaits. */
async function killCallers(): Promise<Told<Call>[]> {
  let used: Promise<UsedCard> | undefined;
  const newCard = async (): Promise<UsedCard> => {
    const card = await issue(virtual);
    return { pan: await panOf(card), expiry: card.expiry };
  };
  return answersAfterKills(branch, holder.client, CALLS, async (deed) =>
    askFor(deed, await (used ??= newCard())),
  );
}

const rows = (sql: string, ...parameters: unknown[]) => bank.asOwner(sql, parameters);
const count = async (sql: string, ...parameters: unknown[]): Promise<number> =>
  Number((await rows(`select count(*) as many ${sql}`, ...parameters))[0]?.['many']);

/** Each wish came true once, whatever was cut off, and everything else that was written beside it as well. */
async function expectOnce(told: readonly Told<Call>[]): Promise<void> {
  for (const { deed, at, answer } of told)
    expect({ deed, at, status: answer.status }).toEqual({
      ...{ deed, at },
      status: deed === 'pay' || deed === 'close' || deed === 'decide' ? 200 : 201,
    });
  const decided = told.filter(({ deed }) => deed === 'decide').length;
  const disputed = told.filter(({ deed }) => deed === 'dispute').length;
  // a card has its secret, the record of its issue, its notice and, if it follows another, that one
  expect(
    await rows(
      `select c.id from cards c where not exists (select from card_secrets s where s.card_id = c.id)
          and c.created_at > bank_now() - interval '1 month'
        or (select count(*) from audit_log l where l.subject_id = c.id::text and l.action = 'card.issued') <> 1
          and c.created_at > bank_now() - interval '1 month'
        or (select count(*) from events e where e.type = 'card_status' and e.subject = c.id) < 1`,
    ),
  ).toEqual([]);
  expect(
    await rows('select replaces from cards where replaces is not null group by 1 having count(*) > 1'),
  ).toEqual([]);
  expect(
    await rows(
      `select r.first from card_iin_ranges r where r.issued <> (select count(*) from cards c join card_products p on p.id = c.product_id
         where p.payment_system_id = r.payment_system_id and exists (select from card_secrets s where s.card_id = c.id))`,
    ),
  ).toEqual([]);
  // a payment is disputed once, and what is accepted is credited once
  expect(
    await rows(
      `select d.status, count(*)::int as disputes, count(distinct d.payment_id)::int as payments, sum(d.credited)::int as credited,
              sum((select count(*) from card_dispute_postings p where p.dispute_id = d.id and p.kind = 'dispute_credit'))::int as credits
         from card_disputes d where d.payment_id in (select id from card_payments where account_id = $1) group by 1 order by 1`,
      account.id,
    ),
  ).toEqual([
    {
      ...{ status: 'filed', disputes: decided, payments: decided },
      ...{ credited: decided * 1_000, credits: decided },
    },
    { status: 'in_review', disputes: disputed, payments: disputed, credited: 0, credits: 0 },
  ]);
  // a payment has its hold and a hold its payment, and the account knows of all of them
  expect(
    await rows(
      `select p.id from card_payments p full join holds h on h.source_id = p.id where p.id is null or h.id is null
         or (h.status = 'open') <> (p.status = 'authorised')`,
    ),
  ).toEqual([]);
  const [held] = await rows(
    `select a.held, (select coalesce(sum(h.amount), 0) from holds h where h.account_id = a.id and h.status = 'open') as open
       from accounts a where a.id = $1`,
    account.id,
  );
  expect(held?.['held']).toEqual(held?.['open']);
}

/** A card with something due, and the await at which its step is cut off. */
interface Walk {
  readonly deed: Step;
  readonly at: number;
  readonly id: CardId;
}

/** A card that was issued a year ago, with so many days left. */
async function agedCard(like: CardAnswer, days: number): Promise<CardId> {
  const id = CardId.parse(randomUUID());
  await rows(
    `insert into cards (id, owner_id, account_id, product_id, product_version, kind, status, last_four, expires_on, issued_by,
                        created_at, activated_at)
       select $1, owner_id, account_id, product_id, product_version, kind, 'active', last_four, bank_day(bank_now()) + $3::integer,
              issued_by, bank_now() - interval '1 year', bank_now() from cards where id = $2`,
    id,
    like.id,
    days,
  );
  await transaction(books.em(), (tx) => launch(tx, cardProcess, { id, customerId: holder.id }));
  return id;
}

async function walks(): Promise<Walk[]> {
  const like = await issue(virtual);
  const wished = STEPS.flatMap((deed) => upTo(AWAITS[deed]).map((at) => ({ deed, at })));
  return Promise.all(
    wished.map(async ({ deed, at }) => {
      const id =
        deed === 'sent'
          ? CardId.parse((await issue(physical, { shipping_address: shipping })).id)
          : await agedCard(like, DAYS_LEFT[deed]);
      return { deed, at, id };
    }),
  );
}

const run = (id: CardId) => temporal.client.workflow.getHandle(cardProcess.workflowId(id));

/** Kills the worker once the step of each card is over or cut off; then another one goes on. */
async function killSteps(all: readonly Walk[]): Promise<void> {
  const stands = new Set<string>();
  const over = new Set<string>();
  const cuts = all.map(({ id, at }) => [cardProcess.workflowId(id), at]);
  const CUT_OFF = JSON.stringify(Object.fromEntries(cuts));
  const env = { CUT_OFF, WORKER_QUEUES: 'money,housekeeping' };
  const doomed = await startDoomed(branch, 'workers/main.ts', env, ({ name }) => stands.add(name));
  try {
    await untilPolling({ ...branch.env, ...env }, doomed);
    await Promise.all(
      all.map(async ({ deed, at, id }) => {
        const name = `${deed} ${String(at)}`;
        const isOver = async () => (await isShown(run(id))) && Boolean(over.add(name));
        await until(
          async () => stands.has(cardProcess.workflowId(id)) || isOver(),
          120,
          100,
          () => name,
        );
      }),
    );
  } finally {
    await doomed.kill();
  }

  for (const deed of STEPS) expect([...over]).toContain(`${deed} ${String(AWAITS[deed])}`);
  expect(stands.size).toBeGreaterThan(STEPS.length * 3);
  await branch.startWorker();
  await Promise.all(all.map(({ id }) => untilShown(run(id))));
}

async function expectCarriedOn({ deed, at, id }: Walk): Promise<void> {
  const [card] = await rows(
    `select c.status, c.shipped_at is not null as shipped, (select count(*)::int from cards n where n.replaces = c.id) as followed,
            (select count(*)::int from account_fees f where f.card_id = c.id and f.status = 'charged') as fees,
            (select count(*)::int from audit_log l where l.subject_id = c.id::text and l.action = 'card.expired') as expired
       from cards c where c.id = $1`,
    id,
  );
  expect({ deed, at, ...card }).toEqual({
    ...{ deed, at },
    ...{ status: { sent: 'inactive', renewed: 'active', expired: 'closed' }[deed], shipped: deed === 'sent' },
    followed: deed === 'renewed' ? 1 : 0,
    fees: deed === 'sent' ? 1 : 0,
    expired: deed === 'expired' ? 1 : 0,
  });
}

test.each(upTo(ROUNDS))(
  'killed at every await: one card for each wish, one hold for each payment, and none is left (round %i)',
  async () => {
    const told = await killCallers();
    await expectOnce(told);
    const all = await walks();
    await killSteps(all);
    for (const walk of all) await expectCarriedOn(walk);
    await expectOnce(told);

    await rows(`update holds set expires_at = bank_now() - interval '1 second' where status = 'open'`);
    await until(async () => (await count(`from holds where status = 'open'`)) === 0);
    expect(await rows('select held from accounts where id = $1', account.id)).toEqual([{ held: '0' }]);
    // every card that is left has a process, and every one that is closed has none
    const cards = z
      .array(z.object({ id: CardId, status: z.string() }))
      .parse(await rows('select id, status from cards'));
    await until(
      async () => (await count('from process_outbox')) + (await count('from process_updates')) === 0,
    );
    const disputes = z
      .array(z.object({ id: CardDisputeId }))
      .parse(await rows('select id from card_disputes'));
    for (const { id } of disputes)
      expect(
        (await temporal.client.workflow.getHandle(disputeProcess.workflowId(id)).describe()).status.name,
      ).toBe('RUNNING');
    await Promise.all(
      cards.map(async ({ id, status }) => {
        await until(
          async () => ((await run(id).describe()).status.name === 'COMPLETED') === (status === 'closed'),
          () => ({ id, status }),
        );
      }),
    );
    await bank.expectBooksBalanced();
  },
  400_000,
);
