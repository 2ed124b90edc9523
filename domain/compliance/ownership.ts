/** To whom a company belongs: Directive (EU) 2015/849, Article 3(6). All shares are exact until they are shown. */
import type { FieldFault } from '../refusals.ts';
import { SELF, stakesOf, type OwnershipRequest, type Stake } from './holdings.ts';
import { graphOf, upwards, type Graph } from './ownership-graph.ts';
import { pathsOf } from './ownership-paths.ts';
import {
  ALL,
  compareShares,
  formatShare,
  isAtLeast,
  NOTHING,
  portionOf,
  sumOf,
  WHOLE,
  type Share,
} from './percent.ts';

/** A person with so much of the company, over all paths, that they count as one of its owners. Percents are rounded down. */
export interface BeneficialOwner {
  readonly ref: string;
  readonly ownership_percent: string;
  readonly voting_percent: string;
  /** From the person to `self`; the shortest first, and not more than MOST_PATHS. */
  readonly paths: readonly (readonly string[])[];
}

export interface Ownership {
  readonly beneficial_owners: readonly BeneficialOwner[];
  /** How much belongs to nobody who is named; rounded up. Whatever a listed company has counts as explained. */
  readonly unexplained_percent: string;
  /** Nobody owns enough, so whoever manages the company counts. */
  readonly needs_senior_manager: boolean;
}

/** From this percentage on, of the capital or of the votes, somebody counts as an owner. */
const OWNER_PERCENT = 25n;

/** To whom a company belongs, or everything that is wrong with what the form says of it. */
export function ownershipOf(
  request: OwnershipRequest,
): Ownership | { readonly faults: readonly FieldFault[] } {
  const { stakes, faults, unclear } = stakesOf(request);
  // to whom a holding belongs is not known, so the graph would be another one
  if (unclear) return { faults };
  const graph = graphOf(stakes);
  const order = upwards(graph, request);
  const circles = 'pointer' in order ? [order] : [];
  const wrong = [...faults, ...circles, ...withoutOwners(graph, request)];
  if ('pointer' in order || wrong.length > 0) return { faults: wrong };

  const owners = ownersIn(graph, request, order);
  return {
    beneficial_owners: owners,
    unexplained_percent: formatShare(unexplained(graph, request, order), 'up'),
    needs_senior_manager: owners.length === 0,
  };
}

/** Whoever owns enough, the largest owner first. */
function ownersIn(
  graph: Graph,
  { persons }: OwnershipRequest,
  order: readonly string[],
): readonly BeneficialOwner[] {
  const capital = sharesOf(graph, order, (stake) => stake.capital);
  const votes = sharesOf(graph, order, (stake) => stake.votes);
  const owners = persons
    .map(({ ref }) => ({ ref, capital: capital.get(ref) ?? NOTHING, votes: votes.get(ref) ?? NOTHING }))
    .filter((owner) => isAtLeast(owner.capital, OWNER_PERCENT) || isAtLeast(owner.votes, OWNER_PERCENT))
    .sort((a, b) => compareShares(b.capital, a.capital) || (a.ref < b.ref ? -1 : 1));
  const paths = pathsOf(
    graph,
    order,
    owners.map(({ ref }) => ref),
  );
  return owners.map((owner) => ({
    ref: owner.ref,
    ownership_percent: formatShare(owner.capital, 'down'),
    voting_percent: formatShare(owner.votes, 'down'),
    paths: paths.get(owner.ref) ?? [],
  }));
}

/** How much of the company each owner has over all paths. What `passes` does not let through counts for nobody above. */
function sharesOf(
  { in: within }: Graph,
  order: readonly string[],
  percentOf: (stake: Stake) => bigint,
  passes: (company: string) => boolean = () => true,
): ReadonlyMap<string, Share> {
  const shares = new Map<string, Share>([[SELF, ALL]]);
  for (const company of order) {
    const share = shares.get(company);
    if (share === undefined || !passes(company)) continue;
    for (const stake of within.get(company) ?? [])
      shares.set(stake.owner, sumOf(shares.get(stake.owner) ?? NOTHING, portionOf(share, percentOf(stake))));
  }
  return shares;
}

/** A fault for each company above this one of which nobody says to whom it belongs, unless it is listed. */
function withoutOwners(graph: Graph, { companies }: OwnershipRequest): readonly FieldFault[] {
  const above = new Set([SELF]);
  // grows while it is walked through
  for (const company of above) for (const { owner } of graph.in.get(company) ?? []) above.add(owner);
  return companies.flatMap(({ ref, listed = false }, at) =>
    listed || !above.has(ref) || graph.in.has(ref)
      ? []
      : [{ pointer: `/companies/${at}`, code: 'owner_missing', detail: 'must have an owner, or be listed' }],
  );
}

/** What nobody has of the company and of those above it. */
function unexplained(graph: Graph, { companies }: OwnershipRequest, order: readonly string[]): Share {
  const listed = new Set(companies.filter((company) => company.listed === true).map(({ ref }) => ref));
  const shares = sharesOf(
    graph,
    order,
    ({ capital }) => capital,
    (company) => !listed.has(company),
  );
  let sum = NOTHING;
  for (const company of order) {
    const share = shares.get(company);
    if (share === undefined || listed.has(company)) continue;
    const owned = (graph.in.get(company) ?? []).reduce((total, { capital }) => total + capital, 0n);
    sum = sumOf(sum, portionOf(share, WHOLE - owned));
  }
  return sum;
}
