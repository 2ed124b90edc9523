/** Flags of the money-laundering watch on the wire. */
import { z } from 'zod';
import {
  FLAG_EVENTS,
  FLAG_KINDS,
  FLAG_REASONS,
  FLAG_STATUSES,
  FLAG_SUBJECTS,
  HIT_OUTCOMES,
  REPORT_STATUSES,
} from '../../domain/aml/flags.ts';
import { SEVERITIES } from '../../domain/aml/rules.ts';
import { AmlFlagId, AmlReportId, AmlRuleId, UserId } from '../../domain/ids.ts';
import { named } from '../wire/naming.ts';
import { Instant, listOf, Timestamp } from '../wire/shapes.ts';
import { Text } from '../wire/text.ts';

const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';
const AT = '2026-03-01T09:30:00.000Z';

const Explanation = z
  .looseObject({ text: z.string() })
  .describe(
    '`text` is a sentence, `leaves` each comparison with its values at that moment, `movements` what was counted.',
  );
const explanation = { text: 'amount_base is 12000 (gte 10000)', leaves: [], movements: [EXAMPLE_ID] };

const Hit = z.strictObject({
  at: Timestamp,
  subject: z.strictObject({ type: z.string(), id: z.uuid() }),
  held: z.boolean(),
  outcome: z.enum(HIT_OUTCOMES),
  explanation: Explanation,
});
const FlagEvent = z.strictObject({
  at: Timestamp,
  by: z.uuid().nullable().describe('Null is the service itself.'),
  kind: z.enum(FLAG_EVENTS),
  before: z.string().nullable(),
  after: z.string().nullable(),
  note: z.string().nullable(),
});
const FlagState = z.strictObject({
  status: z.enum(FLAG_STATUSES),
  since: Timestamp,
  until: Timestamp.nullable().describe('Null is the present state.'),
});
const SecondReview = z.strictObject({ first_by: UserId, first_at: Timestamp });

export const AMLFlag = named(
  'AMLFlag',
  z.strictObject({
    id: AmlFlagId,
    number: z.int(),
    kind: z.enum(FLAG_KINDS),
    status: z.enum(FLAG_STATUSES),
    severity: z.enum(SEVERITIES),
    reason: z
      .enum(FLAG_REASONS)
      .describe('`not_checked`: the movement could not be judged, for example for want of a rate.'),
    subject: z.strictObject({ type: z.enum(FLAG_SUBJECTS), id: z.uuid() }).describe('Of the first hit.'),
    customer_id: UserId.nullable(),
    rule: z.strictObject({ id: AmlRuleId, code: z.string(), version: z.int() }).nullable(),
    match: z.record(z.string(), z.unknown()).nullable().describe('Of a screening.'),
    explanation: Explanation,
    held: z.boolean().describe('Whether a movement waits for this flag, or has waited.'),
    hits: z.array(Hit).describe('The first hundred.'),
    raised_by: UserId.nullable(),
    assignee_id: UserId.nullable(),
    due_at: Timestamp.nullable().describe('By severity, in business hours.'),
    overdue: z.boolean(),
    second_review: SecondReview.nullable().describe(
      'Waits for another reviewer who comes to the same result.',
    ),
    resolution: z.enum(['cleared', 'false_positive', 'confirmed']).nullable(),
    resolved_by: UserId.nullable(),
    resolved_at: Timestamp.nullable(),
    note: z.string().nullable(),
    report_id: AmlReportId.nullable(),
    events: z.array(FlagEvent).describe('The first two hundred.'),
    states: z.array(FlagState).describe('How long it was in each, oldest first.'),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
  {
    ...{ id: EXAMPLE_ID, number: 17, kind: 'rule', status: 'open', severity: 'high', reason: 'hit' },
    subject: { type: 'transfer', id: EXAMPLE_ID },
    customer_id: EXAMPLE_ID,
    rule: { id: EXAMPLE_ID, code: 'much_within_a_day', version: 1 },
    ...{ match: null, explanation, held: true },
    hits: [
      { at: AT, subject: { type: 'transfer', id: EXAMPLE_ID }, held: true, outcome: 'hit', explanation },
    ],
    ...{ raised_by: null, assignee_id: null, due_at: AT, overdue: false, second_review: null },
    ...{ resolution: null, resolved_by: null, resolved_at: null, note: null, report_id: null },
    events: [{ at: AT, by: null, kind: 'opened', before: null, after: null, note: null }],
    states: [{ status: 'open', since: AT, until: null }],
    ...{ created_at: AT, updated_at: AT },
  },
);
export const AMLFlagList = listOf('AMLFlagList', AMLFlag);

/** What lists and counts of flags are narrowed to. */
export const flagFilters = {
  status: z.enum(FLAG_STATUSES).optional(),
  severity: z.enum(SEVERITIES).optional(),
  kind: z.enum(FLAG_KINDS).optional(),
  rule_id: AmlRuleId.optional(),
  customer_id: UserId.optional(),
  assignee_id: UserId.optional(),
  overdue: z.stringbool().optional().describe('Due in the past and not resolved.'),
  created_from: Instant.optional(),
  created_to: Instant.optional().describe('Before this moment.'),
};

const Note = Text(2_000).refine((text) => [...text].length >= 10, 'must say why, in ten characters at least');

export const AMLFlagResolution = named(
  'AMLFlagResolution',
  z.strictObject({
    resolution: z.enum(['cleared', 'false_positive']),
    note: Note,
    suppress: z
      .strictObject({ until: Instant })
      .optional()
      .describe('Leaves the rule out for this customer until then, for 90 days at most.'),
  }),
  { resolution: 'cleared', note: 'The invoice was shown.' },
);

export const AMLFlagConfirmation = named(
  'AMLFlagConfirmation',
  z.strictObject({
    note: Note,
    freeze: z
      .boolean()
      .optional()
      .describe(
        'Freezes the accounts that the flag is about as well. Of two reviewers the second one decides.',
      ),
  }),
  { note: 'The invoice is forged.', freeze: true },
);

export const AMLFlagAssignment = named(
  'AMLFlagAssignment',
  z.strictObject({ assignee_id: UserId.nullable().describe('Null is nobody.') }),
  { assignee_id: EXAMPLE_ID },
);
export const AMLFlagEscalation = named('AMLFlagEscalation', z.strictObject({ note: Text(2_000) }), {
  note: 'Needs the head of compliance.',
});
export const AMLFlagComment = named('AMLFlagComment', z.strictObject({ text: Text(2_000) }), {
  text: 'Asked the customer for the invoice.',
});

export const AMLReport = named(
  'AMLReport',
  z.strictObject({
    id: AmlReportId,
    flag_id: AmlFlagId,
    status: z.enum(REPORT_STATUSES),
    customer_id: UserId.nullable(),
    narrative: z.string(),
    reference: z.string().nullable().describe('Of the authority.'),
    filed_at: Timestamp.nullable(),
    filed_by: UserId.nullable(),
    created_by: UserId,
    created_at: Timestamp,
    xml: z.string().describe('The report in the manner of goAML.'),
  }),
  {
    ...{ id: EXAMPLE_ID, flag_id: EXAMPLE_ID, status: 'draft', customer_id: EXAMPLE_ID },
    ...{ narrative: 'The invoice is forged.', reference: null, filed_at: null, filed_by: null },
    ...{ created_by: EXAMPLE_ID, created_at: AT, xml: '<report></report>' },
  },
);
export const AMLReportFiling = named(
  'AMLReportFiling',
  z.strictObject({ reference: Text(100), narrative: Text(10_000).optional() }),
  { reference: 'FIU-2026-4711' },
);
