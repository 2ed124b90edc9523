/** On which ways a person owns a company. A form may hold more of them than anybody could list. */
import { SELF } from './holdings.ts';
import type { Graph } from './ownership-graph.ts';

/** So many paths of a person are listed. */
export const MOST_PATHS = 100;

/** The shortest paths of each owner to the company; `order` has each company after all in which it has a stake. */
export function pathsOf(
  { of }: Graph,
  order: readonly string[],
  owners: readonly string[],
): ReadonlyMap<string, readonly (readonly string[])[]> {
  const ways = new Map<string, readonly Way[]>([[SELF, [{ ref: SELF, next: undefined, length: 1 }]]]);
  for (const ref of [...order.filter((company) => company !== SELF), ...owners]) {
    const onward = (of.get(ref) ?? []).flatMap(({ company }) => ways.get(company) ?? []);
    // a short path of this owner goes on along a short one of the company, so no longer ones need to be kept
    const shortest = onward.sort((a, b) => a.length - b.length).slice(0, MOST_PATHS);
    ways.set(
      ref,
      shortest.map((next) => ({ ref, next, length: next.length + 1 })),
    );
  }
  return new Map(owners.map((owner) => [owner, (ways.get(owner) ?? []).map(refsOf)]));
}

/** A path whose end is shared with others: a thousand long ones written out at each company would fill the memory. */
interface Way {
  readonly ref: string;
  readonly next: Way | undefined;
  readonly length: number;
}

function refsOf(way: Way): readonly string[] {
  const refs: string[] = [];
  for (let at: Way | undefined = way; at !== undefined; at = at.next) refs.push(at.ref);
  return refs;
}
