/**
 * Several payments of one card, each with requests, records of files, an expiry and a dispute of its own: in whatever order they are
 * mixed, each ends as it would alone, and files that are settled leave nothing in the clearing account.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { settleDispute, withdrawDispute } from '../../../db/queries/cards/disputes.ts';
import type { NetworkOutcome } from '../../../domain/cards/disputes.ts';
import type { CardDisputeId } from '../../../domain/ids.ts';
import { CardPaymentId, UserId } from '../../../domain/ids.ts';
import { machineNow } from '../../../domain/time/now.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import {
  bookedCard,
  clear,
  lapse,
  newMessage,
  newPaymentId,
  settle,
  sumsOf,
  takeMessage,
  type BookedCard,
} from '../../support/bank/card-books.ts';
import { decideAs, openDisputeOf } from '../../support/bank/dispute-books.ts';
import { brokenChecks } from '../../support/bank/proof.ts';
import { fc } from '../../support/property.ts';
import { ownBank } from '../../support/stack/database.ts';

const FUNDS = 1_000_000;
const RUNS = 40;

let books: Books;
let office: UserId;
beforeAll(async () => {
  books = openBooks(await ownBank());
  office = await books.admin(['cards:write']);
});
afterAll(() => books.close());

/** What may happen to a payment, in this order; some of it does. What it does not fit is refused. */
const DEEDS = [
  ...([
    'authorise',
    'increment',
    'reverse a part',
    'expire',
    'advise',
    'clear a part',
    'refund a part',
  ] as const),
  ...(['clear', 'dispute', 'accept', 'refund', 'win', 'lose', 'withdraw', 'reverse'] as const),
];
type Deed = (typeof DEEDS)[number];

/** A payment of a card, as the network and its holder know it. */
interface Life {
  readonly network: string;
  readonly amount: number;
  readonly interchange: number;
  readonly deeds: readonly Deed[];
}

/** What happens on one card. */
class Ground {
  /** Clearing files of the card. */
  readonly files: string[] = [];
  private readonly disputes = new Map<string, { readonly id: CardDisputeId; readonly owner: UserId }>();

  readonly card: BookedCard;

  constructor(card: BookedCard) {
    this.card = card;
  }

  async do(deed: Deed, { network: payment, amount, interchange }: Life): Promise<void> {
    const part = Math.ceil(amount / 3);
    const say = (...[type, purpose, name, sum]: Parameters<typeof newMessage>) =>
      takeMessage(books, this.card, { ...newMessage(type, purpose, name, sum), payment });
    const book = async (kind: 'purchase' | 'refund', sum: number, isFinal = true) => {
      this.files.push(
        await clear(books, this.card, { kind, amount: sum, isFinal }, { payment, interchange }),
      );
    };
    const dispute = this.disputes.get(payment);
    const answer = async (outcome: NetworkOutcome) =>
      dispute && settleDispute.one(books.em(), { id: dispute.id, outcome, clock: machineNow() });
    const how: Record<Deed, () => Promise<unknown>> = {
      authorise: () => say('0100', 'purchase', 'first', amount),
      increment: () => say('0100', 'increment', 'more', part),
      'reverse a part': () => say('0420', 'purchase', 'back', part),
      expire: () => lapse(books, payment),
      advise: () => say('0120', 'purchase', 'advice', part),
      'clear a part': () => book('purchase', part, false),
      'refund a part': () => book('refund', part),
      clear: () => book('purchase', amount),
      dispute: () => this.open(payment),
      accept: async () => dispute && decideAs(books, office, dispute.id, 'accept'),
      refund: () => book('refund', amount),
      win: () => answer('won'),
      lose: () => answer('lost'),
      withdraw: async () => dispute && withdrawDispute.one(books.em(), { ...dispute, clock: machineNow() }),
      reverse: () => say('0420', 'purchase', 'all back', null),
    };
    await how[deed]();
  }

  private async open(network: string): Promise<void> {
    const [row] = await books.asOwner('select id, owner_id from card_payments where network_id = $1', [
      network,
    ]);
    if (row === undefined) return;
    const owner = UserId.parse(row['owner_id']);
    const { id, refusal } = await openDisputeOf(books, { payment: CardPaymentId.parse(row['id']), owner });
    if (refusal === null) this.disputes.set(network, { id, owner });
  }

  /** How a payment has ended. */
  async endOf({ network }: Life): Promise<object> {
    const told = await books.asOwner(
      `select p.booked_fees, (select jsonb_agg(i->'code') from jsonb_array_elements(p.irregularities) i) as irregularities,
              d.status, d.credited, d.taken_back
         from card_payments p left join card_disputes d on d.payment_id = p.id where p.network_id = $1`,
      [network],
    );
    return { ...(await sumsOf(books, network)), told };
  }
}

/** The deeds of all, each payment's own in their order, mixed as `places` say. */
function mixed(lives: readonly Life[], places: readonly number[]): readonly (readonly [Deed, Life])[] {
  const rest = lives.map((life) => ({ life, deeds: [...life.deeds] }));
  return lives
    .flatMap(({ deeds }) => deeds)
    .map((_, turn): readonly [Deed, Life] => {
      const left = rest.filter(({ deeds }) => deeds.length > 0);
      const next = left[(places[turn] ?? 0) % left.length];
      const deed = next?.deeds.shift();
      if (next === undefined || deed === undefined) throw new Error('nothing is left');
      return [deed, next.life];
    });
}

const inClearing = async (): Promise<unknown> =>
  (await books.asOwner(`select sum(posted)::int as sum from accounts where role = 'card_clearing'`))[0]?.[
    'sum'
  ] ?? 0;

const life = fc.record({
  amount: fc.integer({ min: 100, max: 5_000 }),
  interchange: fc.integer({ min: -9, max: 9 }),
  deeds: fc.subarray(DEEDS, { minLength: 2 }),
});

test('payments that are mixed end as they would alone, and settlement leaves nothing', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(life, { minLength: 2, maxLength: 4 }),
      fc.array(fc.nat(), { minLength: 60, maxLength: 60 }),
      async (wishes, places) => {
        const ends: object[] = [];
        for (const order of [[], places]) {
          const lives = wishes.map((wish) => ({ ...wish, network: newPaymentId() }));
          const ground = new Ground(await bookedCard(books, BigInt(FUNDS)));
          for (const [deed, of] of mixed(lives, order)) await ground.do(deed, of);
          const payments: object[] = [];
          for (const of of lives) payments.push(await ground.endOf(of));
          ends.push({ payments, account: await books.balance(ground.card.account) });
          if (ground.files.length > 0) await settle(books, ground.files);
          expect(await inClearing()).toBe(0);
        }
        expect(ends[1]).toEqual(ends[0]);
      },
    ),
    { numRuns: RUNS },
  );
  expect(await brokenChecks(books.em())).toEqual([]);
});
