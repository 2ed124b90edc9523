/** What a form must hold to be submitted, beyond its shape. */
import type { Config } from '../../config.ts';
import { countriesOf, type KycForm } from '../../domain/compliance/kyc.ts';
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
  const errors: FieldFault[] = countriesOf(form)
    .filter(([, country]) => KYC_REFUSED_COUNTRIES.includes(country))
    .map(([pointer]) => ({
      ...{ pointer, code: 'country_not_served' },
      detail: 'is a country in which we do not offer our services',
    }));
  const today = new Date(dayIn(form.address.country, now()));
  if (!isOfAge(form.date_of_birth, today))
    errors.push({
      ...{ pointer: '/date_of_birth', code: 'underage' },
      detail: `is of somebody younger than ${FULL_AGE} years`,
    });
  if (form.document.expires_on <= dayAt(now(), BANK_TIME_ZONE))
    errors.push({
      ...{ pointer: '/document/expires_on', code: 'document_expired' },
      detail: 'must be at least one day ahead',
    });
  if (errors.length > 0) throw faultsIn(errors);
}

/** Whether two people have to approve, and the customer shows where their money comes from. */
export function isHighRisk(
  form: KycForm,
  { KYC_HIGH_RISK_COUNTRIES }: Pick<Config, 'KYC_HIGH_RISK_COUNTRIES'>,
): boolean {
  return (
    form.pep_declared || countriesOf(form).some(([, country]) => KYC_HIGH_RISK_COUNTRIES.includes(country))
  );
}
