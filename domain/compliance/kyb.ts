/** Checks of companies: what a company says of itself, of the people who run or own it, and of the companies above it. */
import type { PostalAddress } from '../identity/people.ts';
import type { ApplicantForm, NamedCountry } from './kyc.ts';
import { countriesOf } from './kyc.ts';

/** `controller`: runs or controls the company in another way, such as a senior manager. */
export const PERSON_KINDS = ['director', 'owner', 'signatory', 'controller'] as const;
export type PersonKind = (typeof PERSON_KINDS)[number];

/** Somebody who runs or owns the company. `ref` is how the form refers to them; percents are of the company itself. */
export interface KybPerson extends ApplicantForm {
  readonly ref: string;
  readonly kind: PersonKind;
  readonly ownership_percent?: string | undefined;
  readonly voting_percent?: string | undefined;
}

/** A company that owns a part of the company, or of another one above it. */
export interface OwningCompany {
  readonly ref: string;
  readonly legal_name: string;
  readonly country: string;
  readonly registration_number: string;
  /** Traded on a regulated market: nobody asks for its owners. */
  readonly listed?: boolean | undefined;
}

/** Who owns how much of which company; `self` is the company itself. Percents are decimal with up to four places. */
export interface Holding {
  readonly owner_ref: string;
  readonly company_ref: string;
  readonly percent: string;
  readonly voting_percent?: string | undefined;
}

/** With the field names of the wire. Days are `YYYY-MM-DD`, countries ISO 3166-1 alpha-2. */
export interface KybForm {
  readonly legal_name: string;
  readonly trading_names: readonly string[];
  readonly legal_form: string;
  readonly registration_number: string;
  readonly country: string;
  readonly incorporated_on: string;
  readonly address: PostalAddress;
  readonly industry_code: string;
  readonly website?: string | undefined;
  readonly expected_monthly_volume?: { readonly amount: string; readonly currency: string } | undefined;
  readonly source_of_funds?: string | undefined;
  readonly persons: readonly KybPerson[];
  readonly companies: readonly OwningCompany[];
  readonly holdings: readonly Holding[];
}
export const KYB_FIELDS = [
  'legal_name',
  'trading_names',
  'legal_form',
  'registration_number',
  'country',
  'incorporated_on',
  'address',
  'industry_code',
  'website',
  'expected_monthly_volume',
  'source_of_funds',
  'persons',
  'companies',
  'holdings',
] as const satisfies readonly (keyof KybForm)[];

/** The countries that the form of a company names, those of its people left out. */
export function companyCountries({ country, address, companies }: KybForm): readonly NamedCountry[] {
  return [
    ['/country', country],
    ['/address/country', address.country],
    ...companies.map((company, at) => [`/companies/${at}/country`, company.country] as const),
  ];
}

/** The countries that its people name. */
export function peopleCountries({ persons }: KybForm): readonly NamedCountry[] {
  return persons.flatMap((person, at) =>
    countriesOf(person).map(([pointer, country]) => [`/persons/${at}${pointer}`, country] as const),
  );
}

/** What the application of a person holds: all that identifies them, and not what they have to do with the company. */
export function applicantOf({
  ref: _,
  kind: _kind,
  ownership_percent: _ownership,
  voting_percent: _voting,
  ...applicant
}: KybPerson): ApplicantForm {
  return applicant;
}
