/** Which day it is in a country. */
import { z } from 'zod';
import { dayAt } from '../statements.ts';

const Zones = z.array(z.string());

/** The day (`YYYY-MM-DD`) in a country, ISO 3166-1 alpha-2; where it has several at once, the earliest, which has begun everywhere in it. */
export function dayIn(country: string, moment: Date): string {
  const [first = 'UTC', ...others] = zonesOf(country);
  return others.reduce(
    (earliest, zone) => {
      const day = dayAt(moment, zone);
      return day < earliest ? day : earliest;
    },
    dayAt(moment, first),
  );
}

/** By the tables of ICU (Unicode TR 35), of which TypeScript does not know yet. */
function zonesOf(country: string): readonly string[] {
  const locale = new Intl.Locale('und', { region: country });
  const getTimeZones: unknown = Reflect.get(locale, 'getTimeZones');
  const zones = typeof getTimeZones === 'function' ? Zones.safeParse(getTimeZones.call(locale)) : undefined;
  return zones?.data ?? [];
}
