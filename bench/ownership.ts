/** Whose a company is: chains as deep as a form may be, alone and with all its people. */
import { ownershipOf } from '../domain/compliance/ownership.ts';
import type { Holding } from '../domain/compliance/kyb.ts';

const COMPANIES = 1_000;
const PEOPLE = 100;
const ROUNDS = 15;

const held = (owner_ref: string, company_ref: string, percent: string): Holding => ({
  ...{ owner_ref, company_ref, percent },
});

/** Each company owns most of the one before it. */
function chain(more: (at: number) => readonly Holding[]) {
  const places = Array.from({ length: COMPANIES }, (_, at) => at);
  return {
    persons: Array.from({ length: PEOPLE }, (_, at) => ({ ref: `p${at}` })),
    companies: places.map((at) => ({ ref: `C${at}` })),
    holdings: [
      ...places.flatMap((at) => [
        held(`C${at}`, at === 0 ? 'self' : `C${at - 1}`, '99.9'),
        ...(at < COMPANIES - 1 ? more(at) : []),
      ]),
      held('p0', `C${COMPANIES - 1}`, '99.9'),
    ],
  };
}

/** Says how long the calculation takes, in milliseconds. */
export function benchOwnership(): void {
  const few = chain(() => []);
  const many = chain((at) =>
    [0, 1, 2].map((next) => held(`p${(at * 3 + next) % PEOPLE}`, `C${at}`, '0.0101')),
  );
  for (const [name, form] of [['a chain', few] as const, ['a chain with people', many] as const]) {
    const times = Array.from({ length: ROUNDS }, () => {
      const begun = performance.now();
      ownershipOf(form);
      return performance.now() - begun;
    }).sort((a, b) => a - b);
    const [middle = 0, most = 0] = [times[Math.floor(ROUNDS / 2)], times.at(-1)];
    const what = `${name}, ${COMPANIES} companies, ${form.holdings.length} holdings`;
    process.stdout.write(`ownership: ${what}: median ${middle.toFixed(1)} ms, most ${most.toFixed(1)} ms\n`);
  }
}
