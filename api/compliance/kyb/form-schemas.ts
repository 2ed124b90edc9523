/** The form of a company on the wire. */
import { z } from 'zod';
import { PERSON_KINDS } from '../../../domain/compliance/kyb.ts';
import { Address, Country } from '../../identity/users/schemas.ts';
import { formShape, RealDay } from '../kyc/form-schemas.ts';
import { named, shown } from '../../wire/naming.ts';
import { Line, Text } from '../../wire/text.ts';

const Ref = Line(64);
/** The calculation of who owns the company says what is wrong with one. */
const Percent = z.string().max(12).describe('Decimal with up to four places, such as "25.0000".');

const {
  address,
  tax_residencies,
  occupation,
  pep_declared,
  document,
  source_of_funds: _,
  ...identity
} = formShape;

const Person = named(
  'KYBPerson',
  z.strictObject({
    ref: Ref.describe('How the form refers to this person. It stays the same in later rounds.'),
    kind: z.enum(PERSON_KINDS).describe('`controller`: runs or controls the company in another way.'),
    ...identity,
    ...z.strictObject({ address, tax_residencies, occupation, pep_declared, document }).partial().shape,
    ownership_percent: Percent.optional().describe('Short for a holding of this person in `self`.'),
    voting_percent: Percent.optional().describe('As much as the ownership if it is left out.'),
  }),
  {
    ...{ ref: 'ann', kind: 'owner' as const, first_name: 'Ann', last_name: 'Smith' },
    ...{ date_of_birth: '1990-04-02', nationalities: ['GB'], ownership_percent: '40' },
  },
);

const Company = named(
  'KYBCompany',
  z.strictObject({
    ref: Ref,
    legal_name: Line(200),
    country: Country,
    registration_number: Line(50),
    listed: z.boolean().optional().describe('Traded on a regulated market; its owners are not asked for.'),
  }),
  { ref: 'holding', legal_name: 'Smith Holding GmbH', country: 'DE', registration_number: 'HRB 4711' },
);

const Holding = named(
  'KYBHolding',
  z.strictObject({
    owner_ref: Ref,
    company_ref: Ref.describe('`self` is the company itself.'),
    percent: Percent,
    voting_percent: Percent.optional().describe('As much as `percent` if it is left out.'),
  }),
  { owner_ref: 'holding', company_ref: 'self', percent: '60' },
);

/** An amount that nobody books: what the company expects. */
const Expected = z.strictObject({
  amount: z.string().regex(/^\d{1,15}(\.\d{1,8})?$/, 'must be an amount, such as "50000.00"'),
  currency: z.string().regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code, such as "EUR"'),
});

export const KYBSubmitRequest = named(
  'KYBSubmitRequest',
  z.strictObject({
    legal_name: Line(200),
    trading_names: z.array(Line(200)).max(20).optional(),
    legal_form: Line(100).describe('As in the register, such as "GmbH".'),
    registration_number: Line(50),
    country: Country.describe('In which the company is registered.'),
    incorporated_on: RealDay.describe('ISO 8601; not in the future.'),
    address: Address,
    industry_code: Line(20).describe('NACE Rev. 2, such as "62.01".'),
    website: z
      .url({ protocol: /^https?$/ })
      .max(200)
      .optional(),
    expected_monthly_volume: Expected.optional(),
    source_of_funds: Text(500)
      .optional()
      .describe('Where the company’s money comes from; with it approval gives level 2.'),
    persons: z.array(Person).min(1).max(100).describe('Who runs, owns or signs for the company.'),
    companies: z
      .array(Company)
      .max(1_000)
      .optional()
      .describe('Companies that own a part of it, directly or not.'),
    holdings: z.array(Holding).max(5_000).optional().describe('Who owns how much of which company.'),
  }),
  {
    ...{ legal_name: 'Smith Trading GmbH', trading_names: [], legal_form: 'GmbH' },
    ...{ registration_number: 'HRB 12345', country: 'DE', incorporated_on: '2015-06-01' },
    ...{ address: shown(Address), industry_code: '62.01' },
    ...{ expected_monthly_volume: { amount: '50000.00', currency: 'EUR' }, persons: [shown(Person)] },
    companies: [shown(Company)],
    holdings: [
      { owner_ref: 'ann', company_ref: 'holding', percent: '100' },
      { owner_ref: 'holding', company_ref: 'self', percent: '60' },
    ],
  },
);
