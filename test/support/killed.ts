/** A worker that is killed between any two of its steps. */

export class Killed extends Error {
  override readonly name = 'Killed';
}

/** A worker that is killed at its `place`-th step, and does nothing after it. */
export function killedAtStep(place: number): {
  /** One step, at which it may be killed. */
  readonly step: () => void;
  /** A call that is two steps: it may be killed before the call, or after it was carried out and before its answer is read. */
  readonly cut: <Answer>(call: () => Promise<Answer>) => Promise<Answer>;
  readonly wasKilled: () => boolean;
} {
  let steps = 0;
  const step = (): void => {
    steps += 1;
    if (steps >= place) throw new Killed();
  };
  return {
    step,
    async cut(call) {
      step();
      const answer = await call();
      step();
      return answer;
    },
    wasKilled: () => steps >= place,
  };
}
