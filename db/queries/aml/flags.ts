/** Flags of the money-laundering watch, as reviewers look for them. */
import { z } from 'zod';
import type { FlagStatus } from '../../../domain/aml/flags.ts';
import { FLAG_EVENTS, FLAG_STATUSES, HIT_OUTCOMES } from '../../../domain/aml/flags.ts';
import { AmlFlagId, UserId, type AmlReportId } from '../../../domain/ids.ts';
import { bigCount, boolean, decimal, id, integer, json, text, type RowOf } from '../../rows/columns.ts';
import { LAST_ID, composedStatement, narrowedTo, type Bind } from '../../rows/composed.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { AmlFlag } from '../../schema/aml.ts';

const Moment = z.string().transform((written) => new Date(written));
const Hits = z.array(
  z.object({
    at: Moment,
    outcome: z.enum(HIT_OUTCOMES),
    subject_type: z.string(),
    subject_id: z.uuid(),
    held: z.boolean(),
    explanation: z.record(z.string(), z.unknown()),
  }),
);
const Events = z.array(
  z.object({
    at: Moment,
    by: z.uuid().nullable(),
    kind: z.enum(FLAG_EVENTS),
    before: z.string().nullable(),
    after: z.string().nullable(),
    note: z.string().nullable(),
  }),
);

const States = z.array(z.object({ status: z.enum(FLAG_STATUSES), since: Moment, until: Moment.nullable() }));

const flag = {
  ...columnsOf(AmlFlag, 'id', 'number', 'kind', 'status', 'severity', 'reason', 'subjectType', 'subjectId'),
  ...columnsOf(AmlFlag, 'customerId', 'ruleId', 'ruleVersion', 'match', 'explanation', 'held', 'raisedBy'),
  ...columnsOf(AmlFlag, 'assigneeId', 'dueAt', 'firstBy', 'firstAt', 'resolvedBy', 'resolvedAt', 'note'),
  ...columnsOf(AmlFlag, 'createdAt', 'updatedAt'),
};
const flagRow = {
  ...flag,
  ruleCode: text().nullable(),
  overdue: boolean(),
  hits: json(Hits),
  events: json(Events),
  states: json(States),
  reportId: id<AmlReportId>().nullable(),
};
/** A flag with its first hits and its history. */
export type AmlFlagRow = RowOf<typeof flagRow>;

const OVERDUE = 'coalesce(f.due_at < (select bank_now()) and f.resolved_at is null, false)';
const COLUMNS = `
  ${selectList(flag, 'f')}, (select r.code from aml_rules r where r.id = f.rule_id) as rule_code, ${OVERDUE} as overdue,
  coalesce((select jsonb_agg(to_jsonb(h) order by h.id) from (
    select * from aml_hits x where x.flag_id = f.id order by x.id limit 100) h), '[]') as hits,
  coalesce((select jsonb_agg(to_jsonb(e) order by e.id) from (
    select * from aml_flag_events x where x.flag_id = f.id order by x.id limit 200) e), '[]') as events,
  coalesce((select jsonb_agg(jsonb_build_object('status', s.status, 'since', s.since, 'until', s.until) order by s.id) from (
    select x.*, lead(x.since) over (order by x.id) as until from aml_flag_states x where x.flag_id = f.id order by x.id
    limit 200) s), '[]') as states,
  (select p.id from aml_reports p where p.flag_id = f.id) as report_id`;

export const amlFlagById = statement({
  name: 'amlFlagById',
  takes: { id: flag.id },
  gives: flagRow,
  sql: `select ${COLUMNS} from aml_flags f where f.id = $id`,
});

/** Which flags; what is left out does not narrow. */
export interface AmlFlagFilter {
  readonly status?: FlagStatus | undefined;
  readonly severity?: string | undefined;
  readonly kind?: string | undefined;
  readonly rule?: string | undefined;
  readonly customer?: string | undefined;
  readonly assignee?: string | undefined;
  readonly overdue?: boolean | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

function narrowed(filter: AmlFlagFilter, bind: Bind): string {
  const { status, severity, kind, rule, customer, assignee, overdue, from, to } = filter;
  const conditions = {
    ...{ 'f.status =': status, 'f.severity =': severity, 'f.kind =': kind, 'f.rule_id =': rule },
    ...{ 'f.customer_id =': customer, 'f.assignee_id =': assignee },
    ...{ 'f.created_at >=': from, 'f.created_at <': to },
  };
  const late = overdue === undefined ? '' : `${overdue ? '' : 'not '}${OVERDUE} and `;
  return `${late}${narrowedTo(conditions, bind)}`;
}

const NEWEST = AmlFlagId.parse(LAST_ID);
const every: AmlFlagFilter = {
  ...{ status: 'open', severity: 'high', kind: 'rule', rule: NEWEST, customer: UserId.parse(NEWEST) },
  ...{ assignee: NEWEST, overdue: true, from: new Date(0), to: new Date(0) },
};

/** A page of flags, newest first, from below `before`. */
export const amlFlags = composedStatement({
  name: 'amlFlags',
  gives: flagRow,
  compose: (
    page: { readonly filter: AmlFlagFilter; readonly before: AmlFlagId | null; readonly most: number },
    bind,
  ) =>
    `select ${COLUMNS} from aml_flags f where ${narrowed(page.filter, bind)} and f.id < ${bind(page.before ?? NEWEST)}
      order by f.id desc limit ${bind(page.most)}`,
  examples: [
    { filter: {}, before: null, most: 1 },
    { filter: { overdue: false }, before: null, most: 1 },
    { filter: every, before: NEWEST, most: 1 },
  ],
});

/** How many flags there are, by status. */
export const countAmlFlags = composedStatement({
  name: 'countAmlFlags',
  gives: { ...columnsOf(AmlFlag, 'status'), count: bigCount() },
  compose: (filter: AmlFlagFilter, bind) =>
    `select f.status, count(*) from aml_flags f where ${narrowed(filter, bind)} group by f.status`,
  examples: [{}, every],
});

/** Marks flags that are due soon as reminded of, and says who has to hear of each. */
export const remindOfFlags = statement({
  name: 'remindOfFlags',
  takes: { hours: decimal(), most: integer() },
  gives: {
    ...{ flag: flag.id, number: flag.number, severity: flag.severity, due: text() },
    ...{ person: id<UserId>(), locale: text() },
  },
  sql: 'select r.flag, r.number, r.severity, r.due, r.person, r.locale from aml_flags_remind($hours, $most) r',
});
