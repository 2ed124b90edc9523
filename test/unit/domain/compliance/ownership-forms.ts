/** Forms of companies in short, and what is calculated from them. */
import type { OwnershipRequest } from '../../../../domain/compliance/holdings.ts';
import { ownershipOf, type Ownership } from '../../../../domain/compliance/ownership.ts';

export type Link = readonly [owner: string, company: string, percent: string, votes?: string];

/** People are the owners in small letters, companies those in capitals; an asterisk makes one listed. */
export function form(links: readonly Link[], more: readonly string[] = []): OwnershipRequest {
  const refs = new Set([...links.flatMap(([owner, company]) => [owner, company]), ...more]);
  refs.delete('self');
  const isCompany = (ref: string) => /^[A-Z]/.test(ref);
  return {
    persons: [...refs].filter((ref) => !isCompany(ref)).map((ref) => ({ ref })),
    companies: [...refs].filter(isCompany).map((ref) => ({ ref, listed: ref.endsWith('*') })),
    holdings: links.map(([owner_ref, company_ref, percent, voting_percent]) => ({
      ...{ owner_ref, company_ref, percent, voting_percent },
    })),
  };
}

export function owned(request: OwnershipRequest): Ownership {
  const result = ownershipOf(request);
  if ('faults' in result) throw new Error(JSON.stringify(result.faults));
  return result;
}

export const faultsOf = (request: OwnershipRequest): readonly string[] => {
  const result = ownershipOf(request);
  return 'faults' in result ? result.faults.map(({ pointer, code }) => `${code} ${pointer}`) : [];
};
