/** What rules of the money-laundering watch would have found in the past, and what they have found. */
import { z } from 'zod';
import { amlBase, amlRuleById } from '../../db/queries/aml/rules.ts';
import { ruleFigures } from '../../db/queries/aml/backtests.ts';
import { MOVEMENT_KINDS } from '../../domain/aml/rules.ts';
import { AmlRuleId, UserId } from '../../domain/ids.ts';
import { faultIn, found } from '../../domain/refusals.ts';
import { now } from '../../domain/time/now.ts';
import { backtest } from '../../services/aml/backtests.ts';
import { forAdmins } from '../declaration/operation.ts';
import { named } from '../wire/naming.ts';
import { Currency, Instant, Timestamp } from '../wire/shapes.ts';
import { TriedRule } from './trial-operations.ts';

const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';
const AT = '2026-03-01T09:30:00.000Z';

const AMLBacktest = named(
  'AMLBacktest',
  z.strictObject({
    rule: TriedRule,
    from: Instant,
    to: Instant.optional().describe('Before this moment; left out, until now.'),
  }),
  {
    rule: { condition: { left: { field: 'amount_base' }, op: 'gte', right: { value: '1000' } } },
    from: '2026-01-01T00:00:00.000Z',
    to: AT,
  },
);

const AMLBacktestResult = named(
  'AMLBacktestResult',
  z.strictObject({
    movements: z.int().describe('How many were judged.'),
    hits: z.int(),
    not_checked: z.int().describe('Would have been held because they could not be judged.'),
    customers: z.int().describe('Different ones of whom something is found.'),
    already_flagged: z.int().describe('How many of the movements that are found have a flag of some rule.'),
    days: z
      .array(z.strictObject({ day: z.iso.date(), hits: z.int(), not_checked: z.int() }))
      .describe('Days of the bank on which something is found.'),
    samples: z
      .array(
        z.strictObject({
          at: Timestamp,
          customer_id: UserId,
          subject: z.strictObject({ type: z.string(), id: z.uuid() }),
          outcome: z.enum(['hit', 'not_checked']),
          explanation: z.looseObject({ text: z.string() }),
        }),
      )
      .describe('The newest ten.'),
  }),
  {
    ...{ movements: 250, hits: 1, not_checked: 0, customers: 1, already_flagged: 0 },
    days: [{ day: '2026-02-27', hits: 1, not_checked: 0 }],
    samples: [
      {
        ...{ at: AT, customer_id: EXAMPLE_ID, subject: { type: 'transfer', id: EXAMPLE_ID }, outcome: 'hit' },
        explanation: { text: 'amount_base is 1200 (gte 1000)', leaves: [], movements: [] },
      },
    ],
  },
);

export const backtestAmlRule = forAdmins({
  id: 'backtestAmlRule',
  area: 'Admin AML',
  title: 'Backtest AML rule',
  description:
    'Says what a rule would have found in the bank’s own past, by the very code that judges payments and by what was known of each movement then. Nothing is kept and no payment waits for it; a million movements take up to a minute. A rule that would be refused for going live is refused.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/aml/rules/backtest',
  effect: 'own_transactions',
  permission: 'aml:read',
  body: AMLBacktest,
  status: 200,
  answer: AMLBacktestResult,
  refuses: ['rule_too_costly'],
  beyond: true,
  async handle(request) {
    const { rule, from: since, to: before = now() } = request.body;
    if (before <= since) throw faultIn('/to', 'out_of_range', 'must be after from');
    const tried = { ...rule, applies_to: rule.applies_to ?? MOVEMENT_KINDS };
    const { days, samples, flagged, movements, customers } = await backtest(request, {
      ...{ rule: tried, since, before },
    });
    const total = (of: 'hits' | 'not_checked') => days.reduce((sum, day) => sum + day[of], 0);
    return {
      ...{ movements, hits: total('hits'), not_checked: total('not_checked'), customers },
      ...{ already_flagged: flagged, days: [...days] },
      samples: samples.map(({ subject_type: type, subject_id: id, customer_id: customer, ...sample }) => ({
        ...sample,
        ...{ customer_id: UserId.parse(customer), subject: { type, id } },
      })),
    };
  },
});

const AMLRuleFigures = named(
  'AMLRuleFigures',
  z.strictObject({
    rule_id: AmlRuleId,
    from: Timestamp,
    to: Timestamp,
    hits: z.int(),
    not_checked: z.int(),
    suppressed: z.int(),
    shadow: z.int().describe('Would have been hits, while the rule was in shadow.'),
    held: z
      .strictObject({ movements: z.int(), amount: z.string(), currency: Currency })
      .describe('At the rates of their moments; what has none is counted and not summed.'),
    flags: z.strictObject({
      open: z.int(),
      cleared: z.int(),
      false_positive: z.int(),
      confirmed: z.int(),
    }),
    false_positive_share: z
      .string()
      .nullable()
      .describe('Of all flags that are resolved. A cleared one does not count against the rule.'),
    median_seconds_to_resolve: z.number().nullable(),
  }),
  {
    ...{ rule_id: EXAMPLE_ID, from: '2026-01-01T00:00:00.000Z', to: AT },
    ...{ hits: 5, not_checked: 0, suppressed: 0, shadow: 0 },
    held: { movements: 5, amount: '61700.00', currency: 'EUR' },
    flags: { open: 1, cleared: 2, false_positive: 1, confirmed: 1 },
    ...{ false_positive_share: '0.2500', median_seconds_to_resolve: 5400 },
  },
);

export const getAmlRuleFigures = forAdmins({
  id: 'getAmlRuleFigures',
  area: 'Admin AML',
  title: 'Get figures of an AML rule',
  description:
    'What a rule has found within a time, how the flags that it opened then have ended, and how much it held.',
  method: 'GET',
  path: '/v1/admin/aml/rules/{id}/figures',
  effect: 'read',
  permission: 'aml:read',
  params: z.strictObject({ id: AmlRuleId }),
  query: z.strictObject({
    from: Instant.optional().describe('Left out, from the beginning.'),
    to: Instant.optional().describe('Before this moment; left out, until now.'),
  }),
  status: 200,
  answer: AMLRuleFigures,
  refuses: [],
  beyond: true,
  async handle({ params: { id }, query, db }) {
    const { createdAt } = found(await amlRuleById.first(db, { id }));
    const { from: since = createdAt, to: before = now() } = query;
    const { figures } = await ruleFigures.one(db, { rule: id, since, before });
    const { hits, not_checked, suppressed, shadow, open, cleared, false_positive, confirmed } = figures;
    const resolved = cleared + false_positive + confirmed;
    const { base: currency } = await amlBase.one(db);
    return {
      ...{ rule_id: id, from: since, to: before },
      ...{ hits, not_checked, suppressed, shadow },
      held: {
        movements: figures.held_movements,
        amount: figures.held_base,
        currency: Currency.parse(currency),
      },
      flags: { open, cleared, false_positive, confirmed },
      false_positive_share: resolved === 0 ? null : (false_positive / resolved).toFixed(4),
      median_seconds_to_resolve: figures.median_seconds,
    };
  },
});

/** In the order of the documentation. */
export const operations = [backtestAmlRule, getAmlRuleFigures];
