/** Tells the stories a few at a time: each begins a little before its turn, so that they wait for the bank beside each other. */
import type { Bank } from '../support/bank/bank.ts';
import type { Performed, Stories } from './story.ts';

const AT_ONCE = 4;

/** These change or count what another story reads or changes, so nothing is told beside them. */
const ALONE = new Set([
  ...['listFxRates', 'upsertFxRate'],
  ...['listScreeningLists', 'agreeToScreeningList'],
  'backtestAmlRule',
]);

export interface Telling {
  /** What the story of this operation did. Those that come after it have begun too. */
  told(id: string): Promise<Performed>;
  /** Waits for stories that nobody has asked for. */
  settled(): Promise<void>;
}

/** `order` is that in which the stories will be asked for. */
export function tellAhead(stories: Stories, order: readonly string[], bank: Bank): Telling {
  const begun = new Map<string, Promise<Performed>>();

  function begin(id: string): void {
    const story = stories[id];
    if (story === undefined || begun.has(id)) return;
    const telling = story(bank);
    // it fails where it is asked for
    telling.catch(() => undefined);
    begun.set(id, telling);
  }

  return {
    told(id) {
      const next = ALONE.has(id) ? [id] : order.slice(order.indexOf(id), order.indexOf(id) + AT_ONCE);
      const alone = next.findIndex((each) => each !== id && ALONE.has(each));
      for (const each of alone === -1 ? next : next.slice(0, alone)) begin(each);
      return begun.get(id) ?? Promise.reject(new Error(`${id} has no story`));
    },
    settled: async () => void (await Promise.allSettled(begun.values())),
  };
}
