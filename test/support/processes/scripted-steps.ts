/** What a process finds each time that it looks at its row, for tests of workflows without their rows. */
import { until } from '../stack/processes.ts';

export interface ScriptedSteps<Step> {
  /** Each look at this row finds the next of these, and the last one again and again. An error is thrown. */
  readonly script: (id: string, steps: readonly (Step | Error)[]) => void;
  /** One look, as an activity. */
  readonly look: (id: string) => Promise<Step>;
  /** How many looks there were. */
  readonly looks: (id: string) => number;
  /** Waits until there were so many. */
  readonly looked: (id: string, times: number) => Promise<void>;
}

export function scriptedSteps<Step>(): ScriptedSteps<Step> {
  const scripts = new Map<string, readonly (Step | Error)[]>();
  const counts = new Map<string, number>();
  const looks = (id: string): number => counts.get(id) ?? 0;
  return {
    script: (id, steps) => {
      scripts.set(id, steps);
    },
    look(id) {
      counts.set(id, looks(id) + 1);
      const [next, ...rest] = scripts.get(id) ?? [];
      if (rest.length > 0) scripts.set(id, rest);
      if (next === undefined) throw new Error('nothing is scripted for it');
      if (next instanceof Error) throw next;
      return Promise.resolve(next);
    },
    looks,
    looked: (id, times) => until(() => Promise.resolve(looks(id) === times)),
  };
}
