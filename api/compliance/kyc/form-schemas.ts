/** The form of an identity check on the wire. */
import { z } from 'zod';
import { IDENTITY_DOCUMENTS } from '../../../domain/compliance/kyc.ts';
import { Address, Country } from '../../identity/users/schemas.ts';
import { named, shown } from '../../wire/naming.ts';
import { Line, PersonName, Text } from '../../wire/text.ts';

const EARLIEST = '1900-01-01';

/** A day that the calendar has. */
export const RealDay = z
  .string()
  .refine((text) => z.iso.date().safeParse(text).success && text >= EARLIEST, {
    message: 'must be a day that exists, such as "1990-04-02"',
    params: { code: 'not_a_date' },
  })
  .meta({ format: 'date' });

const unique = <Item>(items: readonly Item[]): boolean => new Set(items).size === items.length;

const TaxResidency = z.strictObject({
  country: Country,
  tin: Line(40).optional().describe('Tax identification number.'),
});

const IdentityDocument = named(
  'KYCIdentityDocument',
  z.strictObject({
    type: z.enum(IDENTITY_DOCUMENTS),
    number: z
      .string()
      .trim()
      .regex(/^[\p{L}\p{N}][\p{L}\p{N} /.-]{0,39}$/u, 'must be the number of a document')
      .describe('As in the document.'),
    issuing_country: Country,
    expires_on: RealDay.describe('At least one day ahead.'),
    mrz: z
      .array(z.string().max(60))
      .min(2)
      .max(3)
      .optional()
      .describe('The lines of the machine-readable zone; the reviewer sees what differs from the form.'),
  }),
  { type: 'passport', number: 'C01X00T47', issuing_country: 'DE', expires_on: '2034-05-31' },
);

export const formShape = {
  first_name: PersonName,
  middle_names: PersonName.optional(),
  last_name: PersonName,
  date_of_birth: RealDay.describe('ISO 8601. Customers are at least 18 years old.'),
  place_of_birth: Line(100).optional(),
  nationalities: z.array(Country).min(1).max(5).refine(unique, 'must name each country once'),
  address: Address,
  tax_residencies: z.array(TaxResidency).min(1).max(10),
  occupation: Line(100).optional(),
  source_of_funds: Text(500)
    .optional()
    .describe('Where the customer’s money comes from; with it approval gives level 2.'),
  pep_declared: z.boolean().describe('Whether the customer is a politically exposed person.'),
  document: IdentityDocument,
};

export const formExample = {
  first_name: 'Ann',
  last_name: 'Smith',
  date_of_birth: '1990-04-02',
  place_of_birth: 'Leeds',
  nationalities: ['GB'],
  address: shown(Address),
  tax_residencies: [{ country: 'DE', tin: '12345678903' }],
  pep_declared: false,
  document: shown(IdentityDocument),
};

export const KYCSubmitRequest = named('KYCSubmitRequest', z.strictObject(formShape), formExample);

export const KYCDraftRequest = named('KYCDraftRequest', z.strictObject(formShape).partial(), {
  nationalities: ['GB'],
  occupation: 'Engineer',
});

/** Every field of the form, or null. */
export const draftShape = {
  first_name: z.string().nullable(),
  middle_names: z.string().nullable(),
  last_name: z.string().nullable(),
  date_of_birth: z.string().nullable(),
  place_of_birth: z.string().nullable(),
  nationalities: z.array(z.string()).nullable(),
  address: Address.nullable(),
  tax_residencies: z.array(TaxResidency).nullable(),
  occupation: z.string().nullable(),
  source_of_funds: z.string().nullable(),
  pep_declared: z.boolean().nullable(),
  document: IdentityDocument.nullable(),
};
