/** Two replicas of the API on one database, and customers who ask both for the same transfer. */
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import type { AccountId } from '../../../domain/ids.ts';
import { transferBody, type Person, type TransferWish } from '../bank/bank.ts';
import { openBooks, type Books } from '../bank/books.ts';
import { apiClient, type Answered } from '../client.ts';
import { openBranch } from './branch.ts';
import { freePort, startService, until, untilReady } from './processes.ts';

export interface Payer {
  /** The same customer at the first replica and at the second. */
  readonly at: readonly [Person, Person];
  readonly from: AccountId;
  readonly to: AccountId;
}

/** A transfer of one euro. */
export interface Ask {
  readonly payer: Payer;
  readonly replica: 0 | 1;
  /** A quote that it uses. */
  readonly quoteId?: string;
  readonly key: string;
  readonly stepUp: string;
  /** Milliseconds before it is sent. */
  readonly after?: number;
}

export interface Replicas {
  readonly books: Books;
  readonly ownerUrl: string;
  payer(): Promise<Payer>;
  /** A quote for such a transfer. */
  quote(payer: Payer): Promise<string>;
  /** A step-up token for it. */
  token(payer: Payer, quoteId?: string): Promise<string>;
  ask(wish: Ask): Promise<Answered>;
  /** Asks until the answer says more than that somebody else is at it. */
  settled(wish: Ask): Promise<Answered>;
  /** What the key says, which transfer it stands for, and how often money has moved for it. */
  standing(key: string): Promise<Record<string, unknown> | undefined>;
  close(): Promise<void>;
}

const Quote = z.looseObject({ id: z.uuid() });
const Problem = z.looseObject({ code: z.string() });

/** The code of a refusal, or `executed`. */
export const codeOf = (answer: Answered): string =>
  answer.status === 201 ? 'executed' : answer.as(Problem).code;

export async function openReplicas(): Promise<Replicas> {
  const branch = await openBranch();
  const port = await freePort();
  const address = `http://127.0.0.1:${String(port)}`;
  const [second] = await Promise.all([
    startService('second-api', 'api/main.ts', { ...branch.env, PORT: String(port) }),
    branch.startApi(),
  ]);
  await untilReady(address, second);
  const ownerUrl = branch.env['DATABASE_OWNER_URL'] ?? '';
  const books = openBooks({ url: branch.env['DATABASE_URL'] ?? '', ownerUrl });

  const wishOf = ({ from, to }: Payer, quoteId?: string): TransferWish => ({
    ...{ from, to, amount: '1.00' },
    ...(quoteId === undefined ? {} : { quoteId }),
  });
  const ask: Replicas['ask'] = async ({ payer, replica, quoteId, key, stepUp, after = 0 }) => {
    if (after > 0) await wait(after);
    return branch.bank.transfer(payer.at[replica], { ...wishOf(payer, quoteId), key, stepUp });
  };
  return {
    ...{ books, ownerUrl, ask },
    async payer() {
      const person = await branch.bank.customer();
      const payer = {
        at: [person, { ...person, client: apiClient(address) }],
        from: await books.account(person.id),
        to: await books.account(person.id),
      } as const;
      await books.fund(payer.from, 1_000_000n);
      return payer;
    },
    async quote(payer) {
      const [{ client, token }] = payer.at;
      const body = transferBody(wishOf(payer));
      return (await client.call('POST', '/v1/transfers/quote', { token, body })).as(Quote).id;
    },
    token: (payer, quoteId) => payer.at[0].stepUp('createTransfer', transferBody(wishOf(payer, quoteId))),
    async settled(wish) {
      let answer = await ask(wish);
      await until(async () => {
        if (answer.status !== 503 && codeOf(answer) !== 'idempotency_in_progress') return true;
        answer = await ask(wish);
        return false;
      });
      return answer;
    },
    async standing(key) {
      const [found] = await books.asOwner(
        `select k.refusal->>'code' as refusal, t.id as transfer,
                (select count(*)::int from ledger_transactions l where l.source_id = k.resource_id) as booked
           from idempotency_keys k left join transfers t on t.id = k.resource_id where k.key = $1`,
        [key],
      );
      return found;
    },
    async close() {
      await branch.bank.expectBooksBalanced();
      await second.stop();
      await books.close();
      await branch.close();
    },
  };
}
