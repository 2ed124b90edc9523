/** Values as their reader writes them. An event holds them in one form, whoever reads it. */
import type { Variable } from '../../../domain/notifications/notifications.ts';

interface Reader {
  readonly locale: string;
  readonly zone: string;
}

/** The values of an event by the types of their variables. A value without a variable is left out: no text may say it. */
export function shownValues(
  variables: readonly Variable[],
  values: Readonly<Record<string, string>>,
  reader: Reader,
): Record<string, string> {
  const known = variables.filter(({ name }) => Object.hasOwn(values, name));
  return Object.fromEntries(known.map(({ name, type }) => [name, shown(type, values[name] ?? '', reader)]));
}

/** Money is `12.34 EUR`, a moment RFC 3339, a day ISO 8601; what does not read as such is shown as it is. */
function shown(type: Variable['type'], value: string, { locale, zone }: Reader): string {
  switch (type) {
    case 'text':
      return value;
    case 'number':
      return isDecimal(value) ? new Intl.NumberFormat(locale).format(value) : value;
    case 'money': {
      const [amount = '', currency = ''] = value.split(' ');
      return isDecimal(amount) && /^[A-Z]{3}$/.test(currency)
        ? new Intl.NumberFormat(locale, { style: 'currency', currency }).format(amount)
        : value;
    }
    case 'moment':
      return dated(value, (moment) => {
        const style = { dateStyle: 'medium', timeStyle: 'short', timeZone: zone } as const;
        return `${new Intl.DateTimeFormat(locale, style).format(moment)} ${zoneName(moment, locale, zone)}`;
      });
    case 'day':
      return dated(value, (day) =>
        new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(day),
      );
  }
}

const isDecimal = (text: string): text is `${number}` => /^-?\d+(\.\d+)?$/.test(text);

/** As the reader names the zone at that moment: a time without it says little to whoever travels. */
function zoneName(moment: Date, locale: string, timeZone: string): string {
  const parts = new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'short' }).formatToParts(moment);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone;
}

function dated(value: string, show: (moment: Date) => string): string {
  const moment = new Date(value);
  return Number.isNaN(moment.getTime()) ? value : show(moment);
}
