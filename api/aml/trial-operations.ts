/** Trying rules of the money-laundering watch out. */
import { z } from 'zod';
import { MOVEMENT_KINDS, RULE_ACTIONS, RULE_STATUSES, SEVERITIES } from '../../domain/aml/rules.ts';
import { formatMoney } from '../../domain/money.ts';
import { tryRule } from '../../services/aml/trials.ts';
import { forAdmins } from '../declaration/operation.ts';
import { named } from '../wire/naming.ts';
import { Amount, Currency, Day, Instant, Money } from '../wire/shapes.ts';
import { Line } from '../wire/text.ts';
import { AppliesTo, Condition, Cooldown } from './rule-schemas.ts';

const Rate = z
  .string()
  .regex(/^(?=.*[1-9])\d{1,18}(\.\d{1,18})?$/, 'must be a decimal above zero as a string');

const Event = z.strictObject({
  at: Instant,
  kind: z.enum(MOVEMENT_KINDS),
  amount: Amount,
  transfer_type: z.string().max(40).optional(),
  counterparty: Line(140).optional().describe('IBAN, number of an account or address; not the name.'),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/)
    .optional()
    .describe('Of the beneficiary; left out, it is unknown.'),
  value_date: Day.optional().describe('Windows go by `at`; this changes nothing.'),
  fee: z.union([z.boolean(), Money]).optional().describe('`true`: a fee itself, which rules do not see.'),
  ended: z.strictObject({ at: Instant, status: z.string().max(40) }).optional(),
  customer: Line(100).optional().describe('Events of one customer see each other; left out, all are of one.'),
});

/** A rule that is tried out: what is left out is as a rule has it that applies to everything. */
export const TriedRule = z.strictObject({
  code: z.string().max(60).optional(),
  name: Line(100).optional(),
  description: z.string().max(1_000).optional(),
  status: z.enum(RULE_STATUSES).optional(),
  severity: z.enum(SEVERITIES).optional(),
  action: z.enum(RULE_ACTIONS).optional(),
  applies_to: AppliesTo.optional(),
  condition: Condition,
  cooldown: Cooldown.nullish(),
});

const AMLTrial = named(
  'AMLTrial',
  z.strictObject({
    rule: TriedRule,
    base_currency: Currency.optional().describe('What `amount_base` is in; left out, that of the bank.'),
    rates: z
      .record(z.string().regex(/^[A-Z]{3}\/[A-Z]{3}$/), Rate)
      .optional()
      .describe('`"EUR/USD": "1.1"`: units of the second currency for one of the first.'),
    customer: z
      .strictObject({
        kyc_status: z.string().max(40).optional(),
        risk: z.enum(['low', 'medium', 'high']).optional(),
        opened_at: Instant.optional(),
        contact_changed_at: Instant.optional(),
      })
      .optional(),
    events: z.array(Event).min(1).max(1_000),
  }),
  {
    rule: {
      applies_to: ['outgoing_transfer'],
      condition: { left: { field: 'amount_base' }, op: 'gte', right: { value: '1000' } },
    },
    base_currency: 'EUR',
    rates: { 'EUR/USD': '1.1' },
    customer: { kyc_status: 'approved', risk: 'low' },
    events: [
      {
        at: '2026-03-01T09:30:00.000Z',
        kind: 'outgoing_transfer',
        amount: { amount: '1200.00', currency: 'EUR' },
      },
    ],
  },
);

const AMLTrialResult = named(
  'AMLTrialResult',
  z.strictObject({
    hits: z.array(
      z.strictObject({
        index: z.int().describe('Of the event, from 0.'),
        outcome: z.enum(['hit', 'not_checked', 'suppressed']),
        flag: z.int().describe('Hits that would join one flag have the same number.'),
        explanation: z.record(z.string(), z.unknown()),
      }),
    ),
  }),
  {
    hits: [
      {
        index: 0,
        outcome: 'hit',
        flag: 1,
        explanation: {
          rule: null,
          version: 1,
          text: 'amount_base is 1200 (gte 1000)',
          leaves: [],
          movements: [],
        },
      },
    ],
  },
);

export const testAmlRule = forAdmins({
  id: 'testAmlRule',
  area: 'Admin AML',
  title: 'Test AML rule',
  description:
    'Says what a rule would find in given events, by the very code that judges payments. Nothing is kept and nothing is held.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/aml/rules/test',
  effect: 'transaction',
  permission: 'aml:read',
  body: AMLTrial,
  status: 200,
  answer: AMLTrialResult,
  refuses: [],
  beyond: true,
  async handle(request) {
    const { rule, base_currency: baseCurrency, rates = {}, customer = {}, events } = request.body;
    const shown = events.map(({ amount, ...event }) => ({ ...event, amount: formatMoney(amount) }));
    const tried = { ...rule, applies_to: rule.applies_to ?? MOVEMENT_KINDS };
    const hits = await tryRule(request, { rule: tried, baseCurrency, rates, customer, events: shown });
    return { hits: [...hits] };
  },
});

/** In the order of the documentation. */
export const operations = [testAmlRule];
