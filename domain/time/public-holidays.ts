/** Public holidays of whole countries, and the hours in which people of the bank work. */
import { easterSunday } from './business-days.ts';

const DAY = 86_400_000;

/** Days from Easter Sunday. */
const [GOOD_FRIDAY, EASTER_MONDAY, ASCENSION, WHIT_MONDAY, CORPUS_CHRISTI] = [-2, 1, 39, 50, 60];

/** Nationwide holidays: days of the year, and days from Easter Sunday. Of a country that is missing the holidays of TARGET count alone. */
const HOLIDAYS: Readonly<
  Record<string, { readonly fixed: readonly string[]; readonly moving: readonly number[] }>
> = {
  AT: {
    fixed: ['01-01', '01-06', '05-01', '08-15', '10-26', '11-01', '12-08', '12-25', '12-26'],
    moving: [EASTER_MONDAY, ASCENSION, WHIT_MONDAY, CORPUS_CHRISTI],
  },
  BE: {
    fixed: ['01-01', '05-01', '07-21', '08-15', '11-01', '11-11', '12-25'],
    moving: [EASTER_MONDAY, ASCENSION, WHIT_MONDAY],
  },
  DE: {
    fixed: ['01-01', '05-01', '10-03', '12-25', '12-26'],
    moving: [GOOD_FRIDAY, EASTER_MONDAY, ASCENSION, WHIT_MONDAY],
  },
  ES: {
    fixed: ['01-01', '01-06', '05-01', '08-15', '10-12', '11-01', '12-06', '12-08', '12-25'],
    moving: [GOOD_FRIDAY],
  },
  FR: {
    fixed: ['01-01', '05-01', '05-08', '07-14', '08-15', '11-01', '11-11', '12-25'],
    moving: [EASTER_MONDAY, ASCENSION, WHIT_MONDAY],
  },
  IT: {
    fixed: ['01-01', '01-06', '04-25', '05-01', '06-02', '08-15', '11-01', '12-08', '12-25', '12-26'],
    moving: [EASTER_MONDAY],
  },
  LU: {
    fixed: ['01-01', '05-01', '05-09', '06-23', '08-15', '11-01', '12-25', '12-26'],
    moving: [EASTER_MONDAY, ASCENSION, WHIT_MONDAY],
  },
  NL: {
    fixed: ['01-01', '04-27', '12-25', '12-26'],
    moving: [EASTER_MONDAY, ASCENSION, WHIT_MONDAY],
  },
};

/** ISO dates of the public holidays of a country in the years `from` to `to`. */
export function publicHolidays(country: string, from: number, to: number): string[] {
  const { fixed = [], moving = [] } = HOLIDAYS[country] ?? {};
  const years = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  return years.flatMap((year) => {
    const near = (days: number): string =>
      new Date(easterSunday(year) + days * DAY).toISOString().slice(0, 10);
    return [...fixed.map((day) => `${year}-${day}`), ...moving.map(near)];
  });
}

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** Whether business hours such as `Mon-Fri 09:00-17:00` begin before they end, on the day and in the week. */
export function isBusinessHours(text: string): boolean {
  const [days = '', times = ''] = text.split(' ');
  const [first = '', last = ''] = days.split('-');
  const [opens = '', closes = ''] = times.split('-');
  return WEEKDAYS.indexOf(first) <= WEEKDAYS.indexOf(last) && opens < closes;
}
