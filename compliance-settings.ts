/** Settings of identity checks. */
import { z } from 'zod';
import { isCountry } from './domain/standards/countries.ts';
import { list } from './setting-kinds.ts';

const days = (least: number, most: number) => z.coerce.number().int().min(least).max(most);
const countries = list.pipe(
  z.array(z.string().refine(isCountry, { message: 'must be country codes, such as "DE,FR"' })),
);

export const complianceSettings = {
  KYC_DOCUMENT_DAYS: days(1, 366)
    .default(30)
    .describe(
      'days after its submission in which the documents of an identity check are handed in; then it expires',
    ),
  KYC_CHANGES_DAYS: days(1, 366)
    .default(14)
    .describe(
      'days in which somebody makes the changes that were requested; then the identity check expires',
    ),
  KYC_RETRY_DAYS: days(0, 30)
    .default(7)
    .describe(
      'days after which somebody whose identity check was rejected, and not for good, may apply again',
    ),
  KYC_REVIEW_YEARS: list
    .transform((words) => words.map(Number))
    .pipe(z.array(z.int().min(1).max(10)).length(3, 'must be three numbers, such as "5,3,1"'))
    .default([5, 3, 1])
    .describe(
      'years after which customers of a low, a medium and a high risk are checked again, unless their identity document expires earlier',
    ),
  KYC_RENEWAL_DAYS: days(1, 366)
    .default(30)
    .describe(
      'days in which somebody is checked again who has changed their name, date of birth or country since they were approved; then the approval expires',
    ),
  KYC_EXPIRED: z
    .enum(['keep', 'limit'])
    .default('keep')
    .describe(
      'what an approval that has expired means: `keep` leaves the customer the level, `limit` takes it, and with it the limits of transfers that it gives',
    ),
  KYC_REFUSED_COUNTRIES: countries
    .default(['IR', 'KP'])
    .describe(
      'countries, ISO 3166-1 alpha-2, whose nationals, residents and documents are not served; by default those against which the FATF calls for countermeasures',
    ),
  RISK_POINTS: list
    .transform((words) => words.map(Number))
    .pipe(z.tuple([z.int().min(1), z.int().max(1_000)], 'must be two numbers, such as "20,50"'))
    .refine(([medium, high]) => medium < high, { message: 'must be a smaller and a greater number' })
    .default([20, 50])
    .describe('points of risk factors from which on a customer is a medium and a high risk'),
  KYC_HIGH_RISK_COUNTRIES: countries
    .default([
      ...[
        'AF',
        'AO',
        'BO',
        'CD',
        'CI',
        'CM',
        'DZ',
        'HT',
        'KE',
        'LA',
        'LB',
        'MC',
        'MM',
        'NA',
        'NP',
        'RU',
        'SS',
      ],
      ...['SY', 'TT', 'VE', 'VG', 'VN', 'VU', 'YE'],
    ])
    .describe(
      'countries, ISO 3166-1 alpha-2, with a high risk of money laundering: whoever has to do with one is a high risk; keep it as the delegated regulation under Directive (EU) 2015/849, Article 9, has it',
    ),
};
