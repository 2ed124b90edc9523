/** Rules of the money-laundering watch on the wire. */
import { z } from 'zod';
import { conditionFaults } from '../../domain/aml/conditions.ts';
import { MOVEMENT_KINDS, RULE_ACTIONS, RULE_STATUSES, SEVERITIES } from '../../domain/aml/rules.ts';
import { AmlRuleId, UserId } from '../../domain/ids.ts';
import { secondsOf } from '../../domain/time/durations.ts';
import { named } from '../wire/naming.ts';
import { listOf, Timestamp } from '../wire/shapes.ts';
import { Line, Text } from '../wire/text.ts';

const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';
const LONGEST_COOLDOWN_SECONDS = 400 * 86_400;

/** A condition is judged whole; each fault points to its node. */
export const Condition = z
  .record(z.string(), z.unknown())
  .superRefine((condition, context) => {
    for (const { path, code, message } of conditionFaults(condition))
      context.addIssue({ code: 'custom', path: [...path], message, params: { code } });
  })
  .describe(
    'A tree: `{all: []}`, `{any: []}`, `{not: node}` or a comparison `{left, op, right}` with `op` eq, ne, gt, gte, lt, lte, in, not_in or between (`right: [low, high]`). Operands: `{value}`, `{field, …}`, `{list: code}`, `{add|sub|mul|div: [a, b]}` and `{aggregate, over, field?, window, where?, include_current}`. Decimals are strings. What is unknown makes a comparison neither true nor false; a rule whose outcome hangs on it holds the movement as one that could not be checked.',
  );

export const AppliesTo = z
  .array(z.enum(MOVEMENT_KINDS))
  .min(1)
  .max(MOVEMENT_KINDS.length)
  .refine((kinds) => new Set(kinds).size === kinds.length, 'must name each kind once');

/** A duration of fixed length. */
export const Cooldown = z
  .string()
  .max(40)
  .refine((text) => {
    const seconds = secondsOf(text);
    return seconds !== undefined && seconds > 0 && seconds <= LONGEST_COOLDOWN_SECONDS;
  }, 'must be a duration such as PT24H, of at most 400 days')
  .describe('A further hit on the same customer within this time joins the flag that is open.');

const changeable = {
  name: Line(100),
  description: Text(1_000).or(z.literal('')).optional(),
  status: z
    .enum(RULE_STATUSES)
    .optional()
    .describe('`shadow` records what it would hit and holds nothing; default `draft`.'),
  severity: z.enum(SEVERITIES),
  action: z
    .enum(RULE_ACTIONS)
    .describe('`flag` lets the movement pass, `hold` holds it until a review, `block` refuses it.'),
  applies_to: AppliesTo,
  condition: Condition,
  cooldown: Cooldown.nullish(),
};

const example = {
  name: 'Much within a day',
  description: 'More than 10,000 in all leave a customer within 24 hours.',
  severity: 'high' as const,
  action: 'hold' as const,
  applies_to: ['outgoing_transfer' as const],
  condition: {
    left: {
      aggregate: 'sum',
      over: 'outgoing',
      field: 'amount_base',
      window: 'PT24H',
      include_current: true,
    },
    op: 'gte',
    right: { value: '10000.00' },
  },
  cooldown: 'PT24H',
};

export const AMLRule = named(
  'AMLRule',
  z.strictObject({
    id: AmlRuleId.optional().describe('Given by the service; ignored in a request.'),
    code: z
      .string()
      .regex(/^[a-z][a-z0-9_]{1,59}$/)
      .describe('Of one rule only, and kept for ever.'),
    ...changeable,
    version: z.int().optional().describe('Given by the service; ignored in a request.'),
    created_by: UserId.nullish().describe('Who wrote this version; ignored in a request.'),
    approved_by: UserId.nullish().describe('Who approved the last change that waited; ignored in a request.'),
    created_at: Timestamp.optional().describe('Ignored in a request.'),
    updated_at: Timestamp.optional().describe('Ignored in a request.'),
  }),
  {
    id: EXAMPLE_ID,
    code: 'much_within_a_day',
    ...example,
    status: 'live',
    version: 1,
    created_by: EXAMPLE_ID,
    approved_by: EXAMPLE_ID,
    created_at: '2026-03-01T09:30:00.000Z',
    updated_at: '2026-03-01T09:30:00.000Z',
  },
);
export const AMLRuleList = listOf('AMLRuleList', AMLRule);

export const AMLRuleUpdate = named('AMLRuleUpdate', z.strictObject(changeable).partial(), {
  name: 'Much within two days',
  action: 'flag',
});
