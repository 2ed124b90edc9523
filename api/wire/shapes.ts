/** Wire schemas that several resources share: money, time, lists, pages, short answers, Problem. */
import { z } from 'zod';
import { isPlausible } from '../../domain/time/moments.ts';
import { isCoin, isCurrency, StoredCurrency } from '../../domain/assets.ts';
import {
  formatAmount,
  formatHolding,
  formatMoney,
  parseAmount,
  parseMoney,
  type AmountFault,
} from '../../domain/money.ts';
import { codec } from './codec.ts';
import { exampleOf, named } from './naming.ts';

type Fault = AmountFault | 'unknown_asset';

const AMOUNT_FAULTS: Record<Fault, { field: 'amount' | 'currency' | 'asset'; message: string }> = {
  unknown_currency: { field: 'currency', message: 'is not a currency of this service' },
  unknown_asset: { field: 'asset', message: 'is not a coin of this service' },
  not_a_decimal: { field: 'amount', message: 'must be a decimal number as a string, such as "12.34"' },
  too_many_digits: { field: 'amount', message: 'has more digits after the point than the currency' },
  too_large: { field: 'amount', message: 'is too large' },
};

function faulty(fault: Fault, input: unknown, issues: z.core.$ZodRawIssue[]): never {
  const { field, message } = AMOUNT_FAULTS[fault];
  issues.push({ code: 'custom', path: [field], message, input, params: { code: fault } });
  return z.NEVER;
}

const Decimal = z
  .string()
  .max(100)
  .regex(/^-?(0|[1-9]\d*)(\.\d+)?$/, 'must be a decimal number as a string, such as "12.34"');

const MoneyInCode = z.strictObject({ minor: z.bigint(), asset: z.string() });

/** The domain's `Money` in code, `{ amount, currency }` on the wire. The amount is a decimal string: a JSON number would round. */
export const Money = named(
  'Money',
  codec(
    z.strictObject({
      amount: Decimal.describe('Decimal string with at most the digits of the currency.'),
      currency: z
        .string()
        .regex(/^[A-Z0-9]{2,10}$/, 'must be a currency code, such as "EUR"')
        .describe('ISO 4217 code.'),
    }),
    MoneyInCode,
    {
      decode(wire, context) {
        const money = parseMoney(wire);
        return typeof money === 'string' ? faulty(money, wire, context.issues) : money;
      },
      encode: formatMoney,
    },
  ),
  { amount: '12.34', currency: 'EUR' },
);

/** An amount of a coin: `{ amount, asset }` on the wire. */
export const CoinAmount = named(
  'CoinAmount',
  codec(
    z.strictObject({
      amount: Decimal.describe('Decimal string with at most the digits of the coin.'),
      asset: z
        .string()
        .regex(/^[A-Z0-9]{2,10}$/, 'must be the code of a coin, such as "BTC"')
        .describe('Code of the coin.'),
    }),
    MoneyInCode,
    {
      decode(wire, context) {
        const money = isCoin(wire.asset) ? parseAmount(wire.amount, wire.asset) : 'unknown_asset';
        return typeof money === 'string' ? faulty(money, wire, context.issues) : money;
      },
      encode: (money) => ({ amount: formatAmount(money), asset: money.asset }),
    },
  ),
  { amount: '0.005', asset: 'BTC' },
);

/** What of the books may be a currency or anything else: `{ amount, currency }` or `{ amount, asset }`. */
export const Holding = named(
  'Holding',
  codec(
    z.union([
      z.strictObject({ amount: z.string(), currency: z.string().describe('ISO 4217 code.') }),
      z.strictObject({ amount: z.string(), asset: z.string().describe('Code of what is no currency.') }),
    ]),
    MoneyInCode,
    {
      decode(wire, context) {
        const money = 'currency' in wire ? parseMoney(wire) : parseAmount(wire.amount, wire.asset);
        return typeof money === 'string' ? faulty(money, wire, context.issues) : money;
      },
      encode: formatHolding,
    },
  ),
  { amount: '12.34', currency: 'EUR' },
);

/** A currency in a request. */
export const Currency = StoredCurrency.refine(isCurrency, {
  message: 'is not a currency of this service',
}).describe('ISO 4217 code.');

const isPositive = ({ minor }: { readonly minor: bigint }): boolean => minor > 0n;
const NOT_POSITIVE = {
  path: ['amount'],
  message: 'must be greater than zero',
  params: { code: 'not_positive' },
};
/** Money in a request that must be greater than zero. A fault points to the field it is in. */
export const Amount = Money.refine(isPositive, NOT_POSITIVE);
/** The same of a currency or anything else. */
export const PositiveHolding = Holding.refine(isPositive, NOT_POSITIVE);

/** A moment: a Date in code; RFC 3339, UTC, milliseconds on the wire. */
export const Timestamp = codec(z.iso.datetime({ precision: 3 }), z.date(), {
  decode: (text) => new Date(text),
  encode: (moment) => moment.toISOString(),
}).meta({ description: 'RFC 3339, UTC, milliseconds', examples: ['2026-03-01T09:30:00.000Z'] });

const IMPLAUSIBLE = { message: 'must lie between 2000 and 2999', params: { code: 'out_of_range' } };

/** A moment in a request that somebody can mean: RFC 3339 with any offset, read into a Date. */
export const Instant = z.iso
  .datetime({ offset: true, abort: true })
  .meta({ description: 'RFC 3339', examples: ['2026-03-01T09:30:00Z'] })
  .transform((text) => new Date(text))
  .refine(isPlausible, IMPLAUSIBLE);

/** A day in a request that somebody can mean; the database has no year 0. */
export const Day = z.iso.date().refine((text) => isPlausible(new Date(text)), IMPLAUSIBLE);

/** The answer of a list: a page of items and the cursor of the next page, null at the end. */
export function listOf<Item extends z.ZodType>(name: string, item: Item) {
  const example = exampleOf(item);
  const schema = z.strictObject({
    items: z.array(item),
    next_cursor: z.string().nullable().describe('Pass it as `cursor` to read on; null at the end.'),
  });
  // an example is documentation and test data; it is checked against its schema by the contract tests
  const examples =
    example === undefined ? undefined : ({ items: [example], next_cursor: null } as z.input<typeof schema>);
  return examples === undefined ? named(name, schema) : named(name, schema, examples);
}

/** An answer that only says that it is done. */
export const MessageResponse = named('MessageResponse', z.strictObject({ message: z.string() }), {
  message: 'Done.',
});

/** How many there are, in all and by status. */
export const CountResponse = named(
  'CountResponse',
  z.strictObject({
    count: z.int().min(0),
    by_status: z
      .record(z.string(), z.int().min(0))
      .optional()
      .describe('The same by status, where there is one.'),
  }),
  { count: 3, by_status: { pending: 3 } },
);

/** RFC 9457. Members beyond these belong to single codes: `permission` with forbidden, `available` with insufficient_funds. */
export const Problem = named(
  'Problem',
  z.looseObject({
    type: z.url().describe('Page that explains the code.'),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string().describe('Path of the request.'),
    code: z.string().describe('Stable; decide by it.'),
    request_id: z.string().describe('Report it to support.'),
    errors: z
      .array(
        z.strictObject({
          pointer: z.string().describe('RFC 6901 pointer into the body, or query/…, path/…, header/….'),
          code: z.string(),
          detail: z.string(),
          line: z.int().optional().describe('Of a text of several lines, counted from 1.'),
          column: z.int().optional().describe('Counted from 1.'),
        }),
      )
      .optional(),
  }),
  {
    type: 'http://127.0.0.1:3000/docs/errors#invalid_request',
    title: 'Invalid request',
    status: 400,
    detail: 'A field of the path, query, headers or body breaks its rule; `errors` points to each.',
    instance: '/v1/accounts',
    code: 'invalid_request',
    request_id: '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e',
    errors: [{ pointer: '/currency', code: 'required', detail: 'is required' }],
  },
);
