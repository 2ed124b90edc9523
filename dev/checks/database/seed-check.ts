/**
 * What the code takes from lists in `domain/` has to be in the database: a currency that is added to the list needs a migration that
 * adds it to old banks too.
 */
import type pg from 'pg';
import { targetHolidays } from '../../../domain/time/business-days.ts';
import { currencyScales } from '../../../domain/standards/currencies.ts';

export async function checkSeeds(client: pg.Client): Promise<string[]> {
  const assets = await client.query<{ code: string; scale: number }>(
    `select code, scale from assets where kind = 'fiat'`,
  );
  const days = await client.query<{ day: string }>(
    `select day::text as day from bank_holidays where calendar = 'TARGET' order by day`,
  );
  const listed = [...currencyScales].map(([code, scale]) => `${code} with ${scale} digits`);
  const stored = assets.rows.map(({ code, scale }) => `${code} with ${scale} digits`);
  const [from, to] = [days.rows.at(0), days.rows.at(-1)].map((row) => Number(row?.day.slice(0, 4)));
  const holidays = targetHolidays(from ?? 0, to ?? 0);
  return [
    ...unlike('currencies of domain/', listed, 'assets', stored),
    ...unlike(
      'holidays of domain/',
      holidays,
      'bank_holidays',
      days.rows.map(({ day }) => day),
    ),
  ];
}

function unlike(one: string, ones: readonly string[], other: string, others: readonly string[]): string[] {
  return [
    ...ones
      .filter((item) => !others.includes(item))
      .map((item) => `${item} is among the ${one}, not in ${other}`),
    ...others
      .filter((item) => !ones.includes(item))
      .map((item) => `${item} is in ${other}, not among the ${one}`),
  ];
}
