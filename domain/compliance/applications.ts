/**
 * Applications of people (KYC) and of companies (KYB), as far as they are alike. The table `compliance_moves` says which status follows
 * which.
 */
import { canonicalJson } from '../canonical-json.ts';

/** An application of a company's person is one of kind `kyc` that belongs to one of kind `kyb`. */
export const APPLICATION_KINDS = ['kyc', 'kyb'] as const;
export type ApplicationKind = (typeof APPLICATION_KINDS)[number];

/** Of an application; a person without one has a status of their own (`KYC_STATUSES`). */
export const APPLICATION_STATUSES = [
  'submitted',
  'in_review',
  'changes_requested',
  'approved',
  'rejected',
  'expired',
  'withdrawn',
] as const;
export type ApplicationStatus = (typeof APPLICATION_STATUSES)[number];

export const REVIEW_DECISIONS = ['approve', 'reject', 'request_changes'] as const;
export type ReviewDecision = (typeof REVIEW_DECISIONS)[number];

/** Why an approval ends, unless the next one has replaced it before. */
export const RENEWAL_REASONS = ['document_expires', 'review_due', 'profile_changed'] as const;

/** After so many rounds nothing more is asked for: the application is approved, by two people, or rejected. */
export const MOST_ROUNDS = 5;

/** One thing that has to be changed: a field, as a JSON pointer into the form, or a document. */
export interface RequestedChange {
  readonly field?: string | undefined;
  readonly document_id?: string | undefined;
  readonly document_type?: string | undefined;
  readonly code: string;
  /** For the staff. */
  readonly note?: string | undefined;
}

/** What of a form exists, nearest to where a JSON pointer (RFC 6901) leads: `/tax_residencies/0/tin` is `/tax_residencies/0` if that has none. */
export function knownPointer(form: object, pointer: string): string {
  let at = '';
  let value: unknown = form;
  for (const name of pointer.split('/').slice(1)) {
    const next: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
    // a field that was left out can be asked for, below it there is nothing
    if (next === undefined && at !== '') return at;
    at = `${at}/${name}`;
    value = next;
  }
  return at;
}

/** The first field that differs although none of those that may be changed has it, as a JSON pointer. */
export function lockedChange(before: object, after: object, open: readonly string[]): string | undefined {
  return differences('', before, after).find(
    (pointer) => !open.some((field) => pointer === field || pointer.startsWith(`${field}/`)),
  );
}

/** Pointers to all values that differ. A list with more or fewer items than before is one value. */
function differences(at: string, before: unknown, after: unknown): readonly string[] {
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return before.flatMap((item, index) => differences(`${at}/${index}`, item, after[index]));
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) => differences(`${at}/${name}`, before[name], after[name]));
  }
  return canonicalJson(before ?? null) === canonicalJson(after ?? null) ? [] : [at];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
