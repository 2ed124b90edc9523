/** Proof of reserves, on the wire. */
import { z } from 'zod';
import { NETWORKS } from '../../../domain/addresses/address.ts';
import { named } from '../../wire/naming.ts';
import { listOf, Timestamp } from '../../wire/shapes.ts';

const AT = '2026-03-01T09:30:00.000Z';
const coins = z.string().describe('Whole coins, a decimal string.');

export const CryptoReserve = named(
  'CryptoReserve',
  z.strictObject({
    asset: z.string().describe('Code of the coin. All amounts are whole coins, decimal strings.'),
    customers: coins.describe('What the bank owes its customers.'),
    overdrawn: coins.describe(
      'What customers owe the bank, because a deposit was taken back after they had spent it.',
    ),
    house: z
      .array(z.strictObject({ role: z.string(), balance: coins }))
      .describe(
        'What the house accounts have, by role; negative if they owe it. `custody` is left out: it stands for the custodian.',
      ),
    remainder: coins.describe('What has arrived and is less than the smallest unit of the books.'),
    in_flight: coins.describe(
      'What the custodian counts and the books do not yet: deposits that are pending, less fees that are being paid.',
    ),
    custodian: coins.describe('What the custodian holds in all vaults of the bank.'),
    difference: coins.describe(
      '`custodian` less everything above: customers, less what is overdrawn, house, remainder and what is in flight. Zero if the custodian holds what the books say.',
    ),
    shortfall: coins.describe(
      'By how much `custodian`, without what is in flight, is less than `customers`.',
    ),
    differs_since: Timestamp.nullable().describe('Since when every count has found a difference.'),
    short_since: Timestamp.nullable().describe('Since when every count has found a shortfall.'),
    networks: z
      .array(
        z.strictObject({
          network: z.enum(NETWORKS),
          ...{ total: coins, available: coins },
          pending: coins.describe('On its way in, and not confirmed often enough.'),
          frozen: coins,
          locked: coins.describe('Reserved for payments on their way out.'),
        }),
      )
      .describe('What the custodian holds on each network.'),
    asked_at: Timestamp.describe('When the custodian was asked.'),
    counted_at: Timestamp.describe('When the books were read, just after.'),
  }),
  {
    ...{ asset: 'BTC', customers: '12.5', overdrawn: '0' },
    house: [
      { role: 'dust', balance: '0.00000341' },
      { role: 'suspense', balance: '0.03' },
    ],
    ...{ remainder: '0', in_flight: '0.015', custodian: '12.54500341', difference: '0', shortfall: '0' },
    ...{ differs_since: null, short_since: null },
    networks: [
      {
        ...{ network: 'bitcoin', total: '12.54500341', available: '12.53000341' },
        ...{ pending: '0.015', frozen: '0', locked: '0' },
      },
    ],
    ...{ asked_at: AT, counted_at: AT },
  },
);
export const CryptoReserveList = listOf('CryptoReserveList', CryptoReserve);
