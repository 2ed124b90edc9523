/** Two replicas of the API on one database, and customers who ask both for the same transfer. */
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { untilReady } from '../../../dev/service/readiness.ts';
import type { AccountId } from '../../../domain/ids.ts';
import type { Person } from '../bank/bank.ts';
import { openBooks, type Books } from '../bank/books.ts';
import { apiClient, type Answered } from '../client.ts';
import { openBranch } from './branch.ts';
import { freePort, startService } from './processes.ts';

const PAUSE_MS = 20;

export interface Payer {
  /** The same customer at the first replica and at the second. */
  readonly at: readonly [Person, Person];
  readonly from: AccountId;
  readonly euros: AccountId;
  readonly dollars: AccountId;
}

/** A transfer of one euro. */
export interface Ask {
  readonly payer: Payer;
  readonly replica: 0 | 1;
  readonly to: AccountId;
  readonly key: string;
  readonly stepUp: string;
  /** Milliseconds before it is sent. */
  readonly after?: number;
}

export interface Replicas {
  readonly books: Books;
  readonly ownerUrl: string;
  payer(): Promise<Payer>;
  token(payer: Payer): Promise<string>;
  ask(wish: Ask): Promise<Answered>;
  /** Asks until the answer says more than that somebody else is at it. */
  settled(wish: Ask): Promise<Answered>;
  /** What the key says, which transfer it stands for, and how often money has moved for it. */
  standing(key: string): Promise<Record<string, unknown> | undefined>;
  close(): Promise<void>;
}

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

  const ask: Replicas['ask'] = async ({ payer, replica, to, key, stepUp, after = 0 }) => {
    if (after > 0) await wait(after);
    const wish = { from: payer.from, to, amount: '1.00', key, stepUp };
    return branch.bank.transfer(payer.at[replica], wish);
  };
  return {
    ...{ books, ownerUrl, ask },
    async payer() {
      const person = await branch.bank.customer();
      const payer = {
        at: [person, { ...person, client: apiClient(address) }],
        from: await books.account(person.id),
        euros: await books.account(person.id),
        dollars: await books.account(person.id, 'USD'),
      } as const;
      await books.fund(payer.from, 1_000_000n);
      return payer;
    },
    token: (payer) => payer.at[0].stepUp('createTransfer'),
    async settled(wish) {
      for (;;) {
        const answer = await ask(wish);
        if (answer.status !== 503 && codeOf(answer) !== 'idempotency_in_progress') return answer;
        await wait(PAUSE_MS);
      }
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
