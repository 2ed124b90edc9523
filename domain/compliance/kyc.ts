/** Identity checks of people: what they say of themselves. */
import type { PostalAddress } from '../identity/people.ts';

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

/** What is known of somebody whose identity is checked: of a company's person not everything that customers say of themselves. */
export type ApplicantForm = Pick<
  KycForm,
  'first_name' | 'middle_names' | 'last_name' | 'date_of_birth' | 'place_of_birth' | 'nationalities'
> &
  KycDraft;

/** A country, and the JSON pointer to where a form names it. */
export type NamedCountry = readonly [pointer: string, country: string];

/** The countries that a form names, each with the pointer to it. */
export function countriesOf(form: ApplicantForm): readonly NamedCountry[] {
  const { address, tax_residencies: taxes = [], document } = form;
  return [
    ...form.nationalities.map((country, at) => [`/nationalities/${at}`, country] as const),
    ...(address === undefined ? [] : [['/address/country', address.country] as const]),
    ...taxes.map(({ country }, at) => [`/tax_residencies/${at}/country`, country] as const),
    ...(document === undefined ? [] : [['/document/issuing_country', document.issuing_country] as const]),
  ];
}

/** 1: who somebody is; 2: where their money comes from as well. */
export function levelOf({ source_of_funds: funds }: Pick<KycForm, 'source_of_funds'>): 1 | 2 {
  return funds === undefined ? 1 : 2;
}
