/** What a rule would have found in the past, and what it has found. */
import { z } from 'zod';
import type { AmlRuleId, UserId } from '../../../domain/ids.ts';
import { bigCount, id, integer, json, moment, ownJson, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';

const Found = z.object({
  days: z.array(z.object({ day: z.iso.date(), hits: z.int(), not_checked: z.int() })),
  customers: z.int(),
  last: z.uuid().nullable(),
  flagged: z.int(),
  samples: z.array(
    z.object({
      at: z.string().transform((written) => new Date(written)),
      customer_id: z.uuid(),
      subject_type: z.string(),
      subject_id: z.uuid(),
      outcome: z.enum(['hit', 'not_checked']),
      explanation: z.looseObject({ text: z.string() }),
    }),
  ),
});

/** Judges the next part of the movements between two moments; `looked` is null if somebody else looks. */
export const backtestPart = statement({
  name: 'backtestPart',
  takes: {
    ...{ rule: ownJson<object>(), since: moment(), before: moment(), known: id<UserId>().nullable() },
    ...{ customer: id<UserId>(), at: moment(), seq: bigCount(), most: integer() },
  },
  gives: {
    looked: integer().nullable(),
    customer: id<UserId>().nullable(),
    at: moment().nullable(),
    seq: bigCount().nullable(),
    found: json(Found).nullable(),
  },
  sql: `
    select b.looked, b.next_customer as customer, b.next_at as at, b.next_seq as seq, b.summary as found
      from aml_backtest($rule, $since, $before, $customer, $at, $seq, $known, $most) b`,
});
/** What a part of a backtest has found. */
export type BacktestPart = RowOf<(typeof backtestPart)['gives']>;

const Figures = z.object({
  ...{ hits: z.int(), not_checked: z.int(), suppressed: z.int(), shadow: z.int(), held_movements: z.int() },
  ...{ open: z.int(), cleared: z.int(), false_positive: z.int(), confirmed: z.int() },
  held_base: z.string(),
  median_seconds: z.number().nullable(),
});
/** Figures of a rule over a time. */
export type RuleFigures = z.output<typeof Figures>;

export const ruleFigures = statement({
  name: 'ruleFigures',
  takes: { rule: id<AmlRuleId>(), since: moment(), before: moment() },
  gives: { figures: json(Figures) },
  sql: 'select aml_figures($rule, $since, $before) as figures',
});
