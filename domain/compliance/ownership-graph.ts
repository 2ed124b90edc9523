/** The companies above a company as a graph, in an order in which shares can be added up without walking every path. */
import type { FieldFault } from '../refusals.ts';
import { SELF, type OwnershipRequest, type Stake } from './holdings.ts';

/** The stakes of a form as a graph from owners to companies. */
export interface Graph {
  /** The stakes of an owner, and those in a company. */
  readonly of: ReadonlyMap<string, readonly Stake[]>;
  readonly in: ReadonlyMap<string, readonly Stake[]>;
}

export const graphOf = (stakes: readonly Stake[]): Graph => ({
  of: Map.groupBy(stakes, ({ owner }) => owner),
  in: Map.groupBy(stakes, ({ company }) => company),
});

/** The companies, each after all in which it has a stake; or the fault that some own each other in a circle. */
export function upwards(
  { of, in: within }: Graph,
  { companies }: OwnershipRequest,
): readonly string[] | FieldFault {
  const waiting = new Map(companies.map(({ ref }) => [ref, of.get(ref)?.length ?? 0]));
  const order = [SELF, ...companies.map(({ ref }) => ref).filter((ref) => waiting.get(ref) === 0)];
  // grows while it is walked through
  for (const company of order)
    for (const { owner } of within.get(company) ?? []) {
      const stakes = waiting.get(owner);
      // a person waits for nothing
      if (stakes === undefined) continue;
      waiting.set(owner, stakes - 1);
      if (stakes === 1) order.push(owner);
    }
  const first = companies.find(({ ref }) => (waiting.get(ref) ?? 0) > 0)?.ref;
  return first === undefined ? order : circular(first, of, waiting);
}

/** Whoever waits owns somebody who waits, so a walk along them comes back to where it was. */
function circular(first: string, of: Graph['of'], waiting: ReadonlyMap<string, number>): FieldFault {
  const walked: Stake[] = [];
  for (let at = first; ;) {
    const next = of.get(at)?.find(({ company }) => (waiting.get(company) ?? 0) > 0);
    if (next === undefined) throw new Error('a company waits for none');
    const start = walked.findIndex(({ owner }) => owner === at);
    if (start !== -1) {
      const refs = walked.slice(start).map(({ owner }) => `"${owner}"`);
      return {
        ...{ pointer: walked[start]?.pointer ?? '/holdings', code: 'ownership_circular' },
        detail: `closes a circle of companies that own each other: ${refs.join(', ')}`,
      };
    }
    walked.push(next);
    at = next.company;
  }
}
