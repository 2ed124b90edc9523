/** Identity checks of people: what they say of themselves, and what becomes of it. The table `compliance_moves` says which status follows which. */
import { canonicalJson } from '../canonical-json.ts';
import type { PostalAddress } from '../identity/people.ts';

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

/** After so many rounds nothing more is asked for: the application is approved, by two people, or rejected. */
export const MOST_ROUNDS = 5;

/** The documents by which people identify themselves. */
export const IDENTITY_DOCUMENTS = ['passport', 'id_card', 'residence_permit', 'driving_licence'] as const;
export type IdentityDocument = (typeof IDENTITY_DOCUMENTS)[number];

/** What a person says of themselves, with the field names of the wire. Days are `YYYY-MM-DD`, countries ISO 3166-1 alpha-2. */
export interface KycForm {
  readonly first_name: string;
  readonly middle_names?: string | undefined;
  readonly last_name: string;
  readonly date_of_birth: string;
  readonly place_of_birth?: string | undefined;
  readonly nationalities: readonly string[];
  readonly address: PostalAddress;
  readonly tax_residencies: readonly { readonly country: string; readonly tin?: string | undefined }[];
  readonly occupation?: string | undefined;
  readonly source_of_funds?: string | undefined;
  /** A politically exposed person: Directive (EU) 2015/849, Article 3(9). */
  readonly pep_declared: boolean;
  readonly document: {
    readonly type: IdentityDocument;
    readonly number: string;
    readonly issuing_country: string;
    readonly expires_on: string;
    readonly mrz?: readonly string[] | undefined;
  };
}
export const KYC_FIELDS = [
  'first_name',
  'middle_names',
  'last_name',
  'date_of_birth',
  'place_of_birth',
  'nationalities',
  'address',
  'tax_residencies',
  'occupation',
  'source_of_funds',
  'pep_declared',
  'document',
] as const satisfies readonly (keyof KycForm)[];

/** What somebody has filled in so far. */
export type KycDraft = { readonly [Field in keyof KycForm]?: KycForm[Field] | undefined };

/** One thing that has to be changed: a field, as a JSON pointer into the form, or a document. */
export interface RequestedChange {
  readonly field?: string | undefined;
  readonly document_id?: string | undefined;
  readonly document_type?: string | undefined;
  readonly code: string;
  /** For the staff. */
  readonly note?: string | undefined;
}

/** The countries that a form names, each with the pointer to it. */
export function countriesOf(form: KycForm): readonly (readonly [pointer: string, country: string])[] {
  return [
    ...form.nationalities.map((country, at) => [`/nationalities/${at}`, country] as const),
    ['/address/country', form.address.country],
    ...form.tax_residencies.map(({ country }, at) => [`/tax_residencies/${at}/country`, country] as const),
    ['/document/issuing_country', form.document.issuing_country],
  ];
}

/** 1: who somebody is; 2: where their money comes from as well. */
export function levelOf({ source_of_funds: funds }: KycForm): 1 | 2 {
  return funds === undefined ? 1 : 2;
}

/** The first field that differs although no change of it was asked for, as a JSON pointer. */
export function lockedChange(
  before: KycForm,
  after: KycForm,
  items: readonly RequestedChange[],
): string | undefined {
  const open = items.flatMap(({ field }) => (field === undefined ? [] : [field]));
  return differences('', before, after).find(
    (pointer) => !open.some((field) => pointer === field || pointer.startsWith(`${field}/`)),
  );
}

/** Pointers to all values that differ. A list is one value. */
function differences(at: string, before: unknown, after: unknown): readonly string[] {
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) => differences(`${at}/${name}`, before[name], after[name]));
  }
  return canonicalJson(before ?? null) === canonicalJson(after ?? null) ? [] : [at];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
