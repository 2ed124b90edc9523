import { z } from 'zod';
import { AccountId, ScheduledTransferId } from '../../../domain/ids.ts';
import { repeatUnits, scheduledTransferStatuses } from '../../../domain/transfers/scheduled-transfers.ts';
import { named } from '../../wire/naming.ts';
import { intent, intentExample, ONE_SIDE, oneSide } from '../requests.ts';
import { Day, listOf, Money, Timestamp } from '../../wire/shapes.ts';

const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';

export const ScheduledTransferRequest = named(
  'ScheduledTransferRequest',
  z
    .strictObject({
      ...intent,
      starts_on: Day.describe('The first day, today or up to a year ahead, in the bank’s time zone.'),
      repeat: z
        .strictObject({
          unit: z.enum(repeatUnits),
          every: z.int().min(1).max(99).default(1).describe('Every so many units.'),
          ends_on: Day.optional().describe('The last day it may happen; left out, until cancelled.'),
        })
        .optional()
        .describe(
          'Left out: once. By month it stays on the day of `starts_on`, or the last day where a month is shorter.',
        ),
    })
    .refine(oneSide, ONE_SIDE)
    .refine(({ repeat, starts_on }) => repeat?.ends_on === undefined || repeat.ends_on >= starts_on, {
      path: ['repeat', 'ends_on'],
      message: 'must not be before starts_on',
    }),
  { ...intentExample, starts_on: '2026-12-01', repeat: { unit: 'month', every: 1 } },
);

export const ScheduledTransfer = named(
  'ScheduledTransfer',
  z.strictObject({
    id: ScheduledTransferId,
    status: z.enum(scheduledTransferStatuses),
    type: z.string(),
    source_account_id: AccountId,
    destination_account_number: z.string().nullable().describe('null where it leaves the bank.'),
    beneficiary: z
      .strictObject({ name: z.string(), account: z.string() })
      .nullable()
      .describe('Who is paid outside the bank, by IBAN or account.'),
    amount: Money.nullable().describe('What leaves the source each time; null where the target is fixed.'),
    target_amount: Money.nullable().describe('What arrives each time; null where the source is fixed.'),
    description: z.string(),
    starts_on: z.iso.date(),
    repeat: z
      .strictObject({ unit: z.enum(repeatUnits), every: z.int(), ends_on: z.iso.date().nullable() })
      .nullable(),
    next_on: z.iso.date().nullable().describe('null once it is over.'),
    created_at: Timestamp,
    runs: z
      .array(
        z.strictObject({
          due_on: z.iso.date(),
          transfer_id: z.uuid(),
          status: z
            .string()
            .nullable()
            .describe('Of the transfer; null where it was refused or is being begun.'),
          refusal: z.string().nullable().describe('Code of the refusal; nothing has moved then.'),
        }),
      )
      .optional()
      .describe('The last days that have come, newest first; in the detail only.'),
  }),
  {
    id: EXAMPLE_ID,
    status: 'active',
    type: 'internal',
    source_account_id: EXAMPLE_ID,
    destination_account_number: '100000000287',
    beneficiary: null,
    amount: { amount: '12.34', currency: 'EUR' },
    target_amount: null,
    description: 'Rent',
    starts_on: '2026-12-01',
    repeat: { unit: 'month', every: 1, ends_on: null },
    next_on: '2026-12-01',
    created_at: '2026-11-21T09:30:00.000Z',
  },
);
export const ScheduledTransferList = listOf('ScheduledTransferList', ScheduledTransfer);
