/** A model of the books, and the same steps taken in PostgreSQL: for each step the model says beforehand what may come of it. */
import { expect } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setAccountStatus } from '../../../db/ledger/account-status.ts';
import { post } from './posting.ts';
import { carryOut as carryOutStep } from '../../../db/ledger/transfers.ts';
import { openOrders } from './orders.ts';
import { FeeRuleId, TransferId, type AccountId } from '../../../domain/ids.ts';
import { transferOrder } from '../../../domain/transfers/orders.ts';
import type { Price } from '../../../domain/pricing/pricing.ts';
import type { TransferKind, TransferOrder } from '../../../domain/transfers/transfers.ts';
import { draft, type Books } from './books.ts';
import { approvalRunsOut, by, decideInBooks, reviewer } from './decisions.ts';
import { ASSETS, expectHistories } from './ledger-histories.ts';
import {
  book,
  openingRefusals,
  postingRefusals,
  predictDecision,
  predictStatus,
  type Account,
  type Move,
  type Prediction,
  type Step,
} from './ledger-predictions.ts';
import { transferType } from './transfers.ts';

export interface Run {
  /** Takes the step in the books; throws where the model did not expect what came of it. */
  take(step: Step): Promise<void>;
  expectSame(): Promise<void>;
  /** At any time in it the balance is the sum of the entries until then, by booking and by value date. */
  expectHistories(): Promise<void>;
}

/** Opens the books for runs; each run has accounts of its own. */
export async function openLedgerModel(books: Books): Promise<{ begin(): Promise<Run> }> {
  const [customer, maker] = [await books.user(), await books.user()];
  const deciders = [await reviewer(books), await reviewer(books)] as const;
  const [atOnce, waiting] = [
    await transferType(books, { assets: ASSETS }),
    await transferType(books, { assets: ASSETS, approvalAbove: 0 }),
  ];
  // far above the prices of the model: no order gets more than the rates allow
  for (const base of ASSETS)
    for (const quote of ASSETS.filter((other) => other !== base))
      await books.asOwner(
        `insert into fx_rates (id, base, quote, rate, spread_bps, valid_from, source) values (uuidv7(), $1, $2, 1000000, 0, clock_timestamp(), 'model')`,
        [base, quote],
      );
  const houses = new Map<string, AccountId>();
  for (const asset of ASSETS) {
    const [house] = await books.asOwner(`select house_account('adjustments', $1, $2) as id`, [
      asset,
      randomUUID(),
    ]);
    houses.set(asset, house?.['id'] as AccountId);
  }
  const opener = openOrders(books);

  async function begin(): Promise<Run> {
    const accounts: Account[] = [];
    for (const asset of [...ASSETS, ...ASSETS].toSorted())
      accounts.push({
        id: await books.account(customer, asset),
        posted: 0n,
        held: 0n,
        status: 'open',
        nets: [],
      });
    const moves: Move[] = [];
    const at = (index: number): Account => accounts[index] ?? fail('no such account');
    const assetOf = (account: Account): string =>
      ASSETS.toSorted()[Math.floor(accounts.indexOf(account) / 2)] ?? fail('no asset');
    const subject = (step: Step & { do: 'set' }): Account =>
      (step.payer ? moves.at(-1)?.from : undefined) ?? at(step.account);
    const chosen = (which: number): Move | undefined => moves.at(-1 - (which % Math.max(moves.length, 1)));

    function price(step: Step & { do: 'pay' }): Price {
      const [source, target] = [assetOf(at(step.from)), assetOf(at(step.to))];
      const mid = 3n * step.minor + 4n;
      const fee = { ruleId: FEE_RULE, version: 1, code: 'fee', description: 'Fee', minor: step.fee };
      const into = source === target ? step.minor : mid - step.spread;
      return {
        source: { minor: step.minor, asset: source },
        target: { minor: into, asset: target },
        fees: step.fee === 0n ? [] : [fee],
        totalDebit: { minor: step.minor + step.fee, asset: source },
        exchange:
          source === target
            ? null
            : {
                rate: '3',
                midRate: '3',
                spreadBps: 0,
                mid: { minor: mid, asset: target },
                spread: { minor: step.spread, asset: target },
                rateIds: [],
                asOf: new Date(0).toISOString(),
              },
      };
    }

    /** The movement that a step asks for; undefined where the step has nothing to ask for. */
    function wished(step: Step): { order: TransferOrder; move: Move } | undefined {
      const id = TransferId.parse(randomUUID());
      const base = { id, description: '', asset: '' };
      const move = (kind: TransferKind, rest: Omit<Move, 'id' | 'kind' | 'status' | 'decidedBy'>): Move => ({
        id,
        kind,
        status: kind === 'transfer' && step.do === 'pay' && !step.waits ? 'executed' : 'pending_approval',
        ...rest,
      });
      switch (step.do) {
        case 'pay': {
          const [from, to, priced] = [at(step.from), at(step.to), price(step)];
          const payee = { account: { id: to.id, owner_id: customer } };
          return {
            order: transferOrder({
              ...base,
              user: customer,
              type: step.waits ? waiting : atOnce,
              source: from.id,
              payee,
              price: priced,
            }),
            move: move('transfer', {
              from,
              to,
              asset: priced.source.asset,
              target: priced.target.asset,
              out: priced.totalDebit.minor,
              into: priced.target.minor,
              reverses: undefined,
            }),
          };
        }
        case 'adjust': {
          const account = at(step.account);
          const asset = assetOf(account);
          const day = new Date(Date.now() - step.daysBack * 86_400_000).toISOString().slice(0, 10);
          return {
            order: {
              ...base,
              kind: 'adjustment',
              requestedBy: maker,
              customerId: customer,
              ...(step.debit ? { source: account.id } : { destination: account.id }),
              asset,
              amount: step.minor.toString(),
              reason: 'correction',
              valueDate: day,
              approvalSeconds: 3_600,
            },
            move: move('adjustment', {
              from: step.debit ? account : undefined,
              to: step.debit ? undefined : account,
              asset,
              target: asset,
              out: step.minor,
              into: step.minor,
              reverses: undefined,
            }),
          };
        }
        case 'reverse': {
          const original = chosen(step.which);
          if (original === undefined) return undefined;
          return {
            order: {
              ...base,
              kind: 'reversal',
              requestedBy: maker,
              customerId: customer,
              asset: original.target,
              amount: original.into.toString(),
              targetAsset: original.asset,
              targetAmount: original.out.toString(),
              reason: 'sent twice',
              reversesId: original.id,
              approvalSeconds: 3_600,
            },
            move: move('reversal', {
              from: original.to,
              to: original.from,
              asset: original.target,
              target: original.asset,
              out: original.into,
              into: original.out,
              reverses: original,
            }),
          };
        }
        default:
          return undefined;
      }
    }

    function predictOpening(move: Move): Prediction {
      const refused = openingRefusals(move, moves);
      return {
        answers: refused.length > 0 ? refused : [move.status],
        apply: (answer) => {
          if (answer !== move.status) return;
          moves.push(move);
          if (move.status === 'executed') book(move);
          else if (move.from !== undefined) move.from.held += move.out;
        },
      };
    }

    function predict(step: Step): Prediction {
      switch (step.do) {
        case 'fund': {
          const to = at(step.account);
          const leaving = { from: undefined, to, out: step.minor, into: step.minor };
          const refused = postingRefusals(leaving);
          return {
            answers: refused.length > 0 ? refused : ['posted'],
            apply: (answer) => void (answer === 'posted' && book(leaving)),
          };
        }
        case 'set':
          return predictStatus(subject(step), step.status);
        case 'decide':
          return predictDecision(chosen(step.which), step.kind);
        default:
          throw new Error('what opens a movement is predicted by its order');
      }
    }

    async function swapped(order: TransferOrder): Promise<TransferOrder> {
      if (order.reversesId === undefined) return order;
      const [row] = await books.asOwner(
        'select source_account_id as s, destination_account_id as d from transfers where id = $1',
        [order.reversesId],
      );
      return { ...order, source: row?.['d'] as AccountId, destination: row?.['s'] as AccountId };
    }

    async function decided({ id, status }: Move, step: Extract<Step, { do: 'decide' }>) {
      if (step.kind !== 'expire') return decideInBooks(books, id, by(deciders[step.by] ?? maker, step.kind));
      if (status === 'pending_approval') await approvalRunsOut(books, id);
      return carryOutStep(books.em(), id, { source: 'time' });
    }

    async function carryOut(step: Exclude<Step, { do: 'pay' | 'adjust' | 'reverse' }>): Promise<string> {
      const em = books.em();
      switch (step.do) {
        case 'fund': {
          const account = at(step.account);
          const asset = assetOf(account);
          const house = houses.get(asset) ?? fail('no house account');
          const [verdict] = await post(books.ownerEm(), [
            draft([
              { account: house, asset, amount: -step.minor },
              { account: account.id, asset, amount: step.minor },
            ]),
          ]);
          return verdict ?? 'nothing';
        }
        case 'set':
          return setAccountStatus
            .one(em, { account: subject(step).id, wanted: step.status })
            .then(({ refusal }) => refusal ?? 'set');
        case 'decide': {
          const move = chosen(step.which);
          if (move === undefined) return 'nothing';
          const verdict = await decided(move, step);
          return verdict.refusal ?? verdict.status ?? 'nothing';
        }
      }
    }

    async function take(step: Step): Promise<void> {
      if (step.do === 'fund' || step.do === 'set' || step.do === 'decide') {
        const prediction = predict(step);
        const answer = await carryOut(step);
        expect(prediction.answers).toContain(answer);
        return prediction.apply(answer);
      }
      const wish = wished(step);
      if (wish === undefined) return;
      const prediction = predictOpening(wish.move);
      const verdict = await opener.submit(await swapped(wish.order));
      const answer = verdict.refusal ?? verdict.status ?? 'nothing';
      expect(prediction.answers).toContain(answer);
      prediction.apply(answer);
    }

    // one account of each asset has money to begin with, the other is empty and may be closed
    for (const account of [0, 2, 4]) await take({ do: 'fund', account, minor: 2_000n });
    const ids = accounts.map(({ id }) => id);
    return {
      take,
      async expectSame() {
        const found = await books.asOwner(
          `select a.id, a.posted::text, a.held::text, a.status,
                  (select coalesce(sum(h.amount), 0)::text from holds h where h.account_id = a.id and h.status = 'open') as holds
             from accounts a where a.id = any ($1) order by array_position($1::uuid[], a.id)`,
          [ids],
        );
        expect(found).toEqual(
          accounts.map(({ id, posted, held, status }) => ({
            id,
            posted: posted.toString(),
            held: held.toString(),
            status,
            holds: held.toString(),
          })),
        );
      },
      expectHistories: () => expectHistories(books, accounts),
    };
  }

  return { begin };
}

const FEE_RULE = FeeRuleId.parse(randomUUID());

function fail(why: string): never {
  throw new Error(why);
}
