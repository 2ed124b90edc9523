/**
 * Cuts work off as a crash does: at its n-th await of the database its connection is gone, so that its transaction is rolled back and
 * its locks are free, and nobody hears of it any more. What is cut off keeps nothing that others wait for, so that any number of
 * pieces of work can be cut off beside each other, each at another place, before their process is killed.
 */
import type { Duplex } from 'node:stream';
import pg from 'pg';
import { z } from 'zod';

/** Where a piece of work is cut off: at its await of this number. An answer to a commit is an await of its own. */
export interface Cut {
  readonly at: number;
  waited: number;
}

const Connected = z.looseObject({ connection: z.looseObject({ stream: z.custom<Duplex>() }) });

const never = (): Promise<never> => new Promise(() => undefined);

/** Whether the work comes to its end here. What is cut off stays so: whatever it had begun beside it ends too. */
export function endsHere(cut: Cut, reached: (cut: Cut) => void): boolean {
  cut.waited += 1;
  if (cut.waited === cut.at) reached(cut);
  return cut.waited >= cut.at;
}

/** From now on the database cuts off whatever has a cut. `reached` hears of it once. */
export function cutOffAtDatabase(current: () => Cut | undefined, reached: (cut: Cut) => void): void {
  pg.Client.prototype.query = new Proxy(pg.Client.prototype.query, {
    apply(query, client: pg.Client, call: unknown[]) {
      const cut = current();
      if (cut === undefined) return Reflect.apply(query, client, call) as unknown;
      const die = (): Promise<never> => {
        // a pool that hears of it would tell whoever asked
        client.removeAllListeners('error').on('error', () => undefined);
        Connected.parse(client).connection.stream.destroy();
        return never();
      };
      if (endsHere(cut, reached)) return die();
      const answer: unknown = Reflect.apply(query, client, call);
      if (!isCommit(call[0])) return answer;
      // the commit counts, but nobody learns of it
      return Promise.resolve(answer).then((done) => (endsHere(cut, reached) ? die() : done));
    },
  });
}

const isCommit = (query: unknown): boolean => {
  const read = z.union([z.string(), z.looseObject({ text: z.string() })]).safeParse(query).data;
  return /^\s*commit/i.test(typeof read === 'string' ? read : (read?.text ?? ''));
};
