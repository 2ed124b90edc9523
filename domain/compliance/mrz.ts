/** Compares the machine-readable zone of an identity document with what its holder has written into the form. */
import { birthDates, expiryDates, type PossibleDates } from './mrz-dates.ts';
import {
  countryField,
  dateField,
  nameFields,
  nationalityField,
  numberField,
  typeField,
  type MrzField,
  type MrzForm,
} from './mrz-fields.ts';
import { readZone } from './mrz-zone.ts';

export interface MrzCheck {
  /** All check digits are right, dates exist and each field holds what it may hold. It says nothing of the form. */
  readonly valid: boolean;
  /** What both have, in the order of the form; none if the lines are no zone. A field that the document does not have is not listed. */
  readonly fields: readonly MrzField[];
}

/** Never throws, whatever the lines are; `today` decides on the century of dates. */
export function checkMrz(lines: readonly string[], form: MrzForm, today: Date): MrzCheck {
  const zone = readZone(lines);
  if (zone === null) return { valid: false, fields: [] };
  const births = birthDates(zone.birth, today);
  const expiries = expiryDates(zone.expiry ?? '', today);
  return {
    valid: zone.isValid && isPossible(zone.birth, births) && isPossible(zone.expiry ?? '', expiries),
    fields: [
      ...nameFields(zone, form),
      dateField('date_of_birth', zone.birth, births, form.date_of_birth),
      ...nationalityField(zone, form),
      typeField(zone, form),
      numberField(zone, form),
      countryField(zone, form),
      ...(zone.expiry === null
        ? []
        : [dateField('document.expires_on', zone.expiry, expiries, form.document.expires_on)]),
    ],
  };
}

/** Fillers alone are a date that nobody knows. */
function isPossible(text: string, dates: PossibleDates): boolean {
  return dates.length > 0 || /^<*$/.test(text);
}
