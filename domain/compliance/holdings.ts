/** Who holds how much of which company, as a form says, and what is wrong with it. */
import type { FieldFault } from '../refusals.ts';
import type { Holding, KybPerson, OwningCompany } from './kyb.ts';
import { parsePercent, WHOLE } from './percent.ts';

/** What the calculation of ownership reads of a form. */
export interface OwnershipRequest {
  readonly persons: readonly Pick<KybPerson, 'ref' | 'ownership_percent' | 'voting_percent'>[];
  readonly companies: readonly Pick<OwningCompany, 'ref' | 'listed'>[];
  readonly holdings: readonly Holding[];
}

/** By how much a person or a company owns a company, in ten-thousandths of a percent. */
export interface Stake {
  readonly owner: string;
  readonly company: string;
  readonly capital: bigint;
  readonly votes: bigint;
  /** Where the form says so. */
  readonly pointer: string;
}

/** The company whose application it is. */
export const SELF = 'self';

/** The stakes that a form names, with every fault that needs no look at the whole. */
export function stakesOf(request: OwnershipRequest): {
  readonly stakes: readonly Stake[];
  readonly faults: readonly FieldFault[];
  /** Some refs are wrong, so it is not known who owns what. */
  readonly unclear: boolean;
} {
  const read = [...writtenIn(request)].map(stakeIn);
  const stakes = read.map(({ stake }) => stake);
  const refs = refFaults(request);
  const twice = duplicatesIn(stakes);
  const again = new Set(twice.map(({ pointer }) => pointer));
  const once = stakes.filter(({ pointer }) => !again.has(pointer));
  return {
    stakes,
    faults: [...refs, ...read.flatMap(({ faults }) => faults), ...twice, ...tooMuchIn(once)],
    unclear: refs.length > 0,
  };
}

/** A stake whose percents are wrong still says who owns what, so it stays, and counts as 0. */
function stakeIn({ owner, company, pointer, field, ...written }: Written): {
  readonly stake: Stake;
  readonly faults: readonly FieldFault[];
} {
  const capital = parsePercent(written.percent ?? '0');
  const votes = written.votes === undefined ? capital : parsePercent(written.votes);
  const faults: FieldFault[] = [];
  if (capital === undefined) faults.push(notPercent(`${pointer}/${field}`));
  if (votes === undefined && written.votes !== undefined)
    faults.push(notPercent(`${pointer}/voting_percent`));
  if (capital === 0n && votes === 0n)
    faults.push({
      pointer: `${pointer}/${written.percent === undefined ? 'voting_percent' : field}`,
      ...{ code: 'not_a_percent', detail: 'must be above 0, or the votes must be' },
    });
  return { stake: { owner, company, pointer, capital: capital ?? 0n, votes: votes ?? 0n }, faults };
}

interface Written {
  readonly owner: string;
  readonly company: string;
  readonly percent?: string | undefined;
  readonly votes?: string | undefined;
  readonly pointer: string;
  readonly field: 'percent' | 'ownership_percent';
}

/** A percent of a person is short for a holding in the company itself. */
function* writtenIn({ persons, holdings }: OwnershipRequest): Generator<Written> {
  for (const [at, { ref: owner, ownership_percent: percent, voting_percent: votes }] of persons.entries())
    if (percent !== undefined || votes !== undefined)
      yield { owner, company: SELF, percent, votes, pointer: `/persons/${at}`, field: 'ownership_percent' };
  for (const [at, { owner_ref, company_ref, percent, voting_percent }] of holdings.entries())
    yield {
      ...{ owner: owner_ref, company: company_ref, percent, votes: voting_percent },
      ...{ pointer: `/holdings/${at}`, field: 'percent' },
    };
}

const notPercent = (pointer: string): FieldFault => ({
  ...{ pointer, code: 'not_a_percent' },
  detail: 'must be a percentage from 0 to 100 with up to four places, such as "25.0000"',
});

function refFaults({ persons, companies, holdings }: OwnershipRequest): readonly FieldFault[] {
  const faults: FieldFault[] = [];
  const known = new Set([SELF]);
  const named = [...pointed('persons', persons), ...pointed('companies', companies)];
  for (const [pointer, ref] of named) {
    if (known.has(ref))
      faults.push({
        pointer: `${pointer}/ref`,
        code: 'duplicate_ref',
        detail: 'must differ from all others',
      });
    known.add(ref);
  }
  const companyRefs = new Set([SELF, ...companies.map(({ ref }) => ref)]);
  for (const [at, { owner_ref: owner, company_ref: company }] of holdings.entries()) {
    if (owner === SELF || !known.has(owner))
      faults.push(unknown(`/holdings/${at}/owner_ref`, 'must be the ref of a person or a company'));
    if (!companyRefs.has(company))
      faults.push(unknown(`/holdings/${at}/company_ref`, 'must be the ref of a company, or "self"'));
  }
  return faults;
}

const pointed = (list: string, items: readonly { readonly ref: string }[]) =>
  items.map(({ ref }, at) => [`/${list}/${at}`, ref] as const);

const unknown = (pointer: string, detail: string): FieldFault => ({ pointer, code: 'unknown_ref', detail });

function duplicatesIn(stakes: readonly Stake[]): readonly FieldFault[] {
  const seen = new Set<string>();
  return stakes.flatMap(({ owner, company, pointer }) => {
    const pair = JSON.stringify([owner, company]);
    if (!seen.has(pair)) {
      seen.add(pair);
      return [];
    }
    return [
      { pointer, code: 'duplicate_holding', detail: 'says again how much of the company this owner has' },
    ];
  });
}

/** A fault at each stake by which more than the whole of a company is given away. */
function tooMuchIn(stakes: readonly Stake[]): readonly FieldFault[] {
  const sums = new Map<string, { capital: bigint; votes: bigint }>();
  return stakes.flatMap(({ company, capital, votes, pointer }) => {
    const before = sums.get(company) ?? { capital: 0n, votes: 0n };
    const after = { capital: before.capital + capital, votes: before.votes + votes };
    sums.set(company, after);
    const isOver = (sum: typeof after) => sum.capital > WHOLE || sum.votes > WHOLE;
    if (!isOver(after) || isOver(before)) return [];
    return [
      { pointer, code: 'shares_over_100', detail: 'makes the shares of the company more than 100 percent' },
    ];
  });
}
