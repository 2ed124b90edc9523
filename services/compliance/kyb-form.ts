/** What the form of a company must hold to be submitted, beyond its shape. */
import type { Config } from '../../config.ts';
import { companyCountries, peopleCountries, type KybForm } from '../../domain/compliance/kyb.ts';
import { ownershipOf, type Ownership } from '../../domain/compliance/ownership.ts';
import { faultsIn, type FieldFault } from '../../domain/refusals.ts';
import { dayAt } from '../../domain/statements.ts';
import { dayIn } from '../../domain/time/country-days.ts';
import { now } from '../../domain/time/now.ts';
import { expired, notServed } from './kyc-form.ts';

type Settings = Pick<Config, 'KYC_REFUSED_COUNTRIES' | 'BANK_TIME_ZONE'>;

/** Answers to whom the company belongs. Refuses invalid_request, with every field at fault. */
export function requireOwned(form: KybForm, { KYC_REFUSED_COUNTRIES, BANK_TIME_ZONE }: Settings): Ownership {
  const today = dayAt(now(), BANK_TIME_ZONE);
  const ownership = ownershipOf(form);
  const countries = [...companyCountries(form), ...peopleCountries(form)];
  const errors: FieldFault[] = [
    ...notServed(countries, KYC_REFUSED_COUNTRIES),
    ...inFuture(form.incorporated_on, dayIn(form.country, now()), '/incorporated_on'),
    ...form.persons.flatMap((person, at) => [
      ...inFuture(person.date_of_birth, today, `/persons/${at}/date_of_birth`),
      ...expired(person, today, `/persons/${at}/document`),
    ]),
  ];
  if ('faults' in ownership) throw faultsIn([...errors, ...ownership.faults]);
  if (ownership.needs_senior_manager && !form.persons.some(({ kind }) => MANAGES.includes(kind)))
    errors.push({
      ...{ pointer: '/persons', code: 'senior_manager_missing' },
      detail: 'must name a director or controller, because nobody owns 25 percent or more',
    });
  if (errors.length > 0) throw faultsIn(errors);
  return ownership;
}

/** Where nobody owns enough, whoever manages the company counts: Directive (EU) 2015/849, Article 3(6)(a)(ii). */
const MANAGES: readonly string[] = ['director', 'controller'];

function inFuture(day: string, today: string, pointer: string): readonly FieldFault[] {
  if (day <= today) return [];
  return [{ pointer, code: 'not_a_date', detail: 'must not be in the future' }];
}
