/** What a form must hold to be submitted, beyond its shape. */
import type { Config } from '../../config.ts';
import {
  countriesOf,
  type ApplicantForm,
  type KycForm,
  type NamedCountry,
} from '../../domain/compliance/kyc.ts';
import { FULL_AGE, isOfAge } from '../../domain/identity/people.ts';
import { faultsIn, type FieldFault } from '../../domain/refusals.ts';
import { dayAt } from '../../domain/statements.ts';
import { dayIn } from '../../domain/time/country-days.ts';
import { now } from '../../domain/time/now.ts';

/** Refuses invalid_request, with every field at fault. Why a country is not served is not said. */
export function requireServed(
  form: KycForm,
  { KYC_REFUSED_COUNTRIES, BANK_TIME_ZONE }: Pick<Config, 'KYC_REFUSED_COUNTRIES' | 'BANK_TIME_ZONE'>,
): void {
  const errors: FieldFault[] = [...notServed(countriesOf(form), KYC_REFUSED_COUNTRIES)];
  const today = new Date(dayIn(form.address.country, now()));
  if (!isOfAge(form.date_of_birth, today))
    errors.push({
      ...{ pointer: '/date_of_birth', code: 'underage' },
      detail: `is of somebody younger than ${FULL_AGE} years`,
    });
  errors.push(...expired(form, dayAt(now(), BANK_TIME_ZONE), '/document'));
  if (errors.length > 0) throw faultsIn(errors);
}

/** A fault for each country in which the bank does not offer its services; why is not said. */
export function notServed(
  countries: readonly NamedCountry[],
  refused: readonly string[],
): readonly FieldFault[] {
  return countries
    .filter(([, country]) => refused.includes(country))
    .map(([pointer]) => ({
      ...{ pointer, code: 'country_not_served' },
      detail: 'is a country in which we do not offer our services',
    }));
}

/** A fault if the document by which somebody identifies themselves is not valid for at least one more day. */
export function expired(
  { document }: Pick<ApplicantForm, 'document'>,
  today: string,
  pointer: string,
): readonly FieldFault[] {
  if (document === undefined || document.expires_on > today) return [];
  return [
    {
      ...{ pointer: `${pointer}/expires_on`, code: 'document_expired' },
      detail: 'must be at least one day ahead',
    },
  ];
}
