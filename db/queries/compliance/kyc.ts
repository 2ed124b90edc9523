/** Identity checks of people. Functions of the database submit, move and decide them. */
import { z } from 'zod';
import {
  REVIEW_DECISIONS,
  type ApplicationStatus,
  type KycDraft as Draft,
  type RequestedChange,
} from '../../../domain/compliance/kyc.ts';
import { DOCUMENT_STATES, KYC_DOCUMENT_TYPES } from '../../../domain/compliance/kyc-documents.ts';
import type { KycApplicationId, UserId } from '../../../domain/ids.ts';
import {
  bigCount,
  boolean,
  id,
  integer,
  json,
  moment,
  oneOf,
  ownJson,
  text,
  textArray,
  type RowOf,
} from '../../rows/columns.ts';
import { LAST_ID, composedStatement, narrowedTo, type Bind } from '../../rows/composed.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { KycApplication, KycDraft } from '../../schema/compliance.ts';
import { User } from '../../schema/identity.ts';

const DocumentStates = z.array(
  z.object({
    document_type: z.enum(KYC_DOCUMENT_TYPES),
    document_id: z.uuid().nullable(),
    state: z.enum(DOCUMENT_STATES),
    code: z.string().nullable(),
    is_required: z.boolean(),
  }),
);

const own = columnsOf(
  KycApplication,
  ...(['id', 'userId', 'status', 'round', 'form', 'grants', 'needsSecond', 'firstBy', 'firstAt'] as const),
  ...(['statusAt', 'dueAt', 'submittedAt', 'decision', 'decidedBy', 'decidedAt', 'code', 'final'] as const),
  ...(['retryAt', 'message', 'items', 'endedAt', 'createdAt', 'updatedAt'] as const),
);
const application = { ...own, documents: json(DocumentStates) };
/** An application with the documents that it needs and has. */
export type KycApplicationRow = RowOf<typeof application>;

const SELECT = `
  select ${selectList(own, 'a')},
         (select jsonb_agg(to_jsonb(s)) from kyc_document_states(a) s) as documents
    from kyc_applications a`;

/** One application, of this person if one is given. */
export const kycApplicationOf = statement({
  name: 'kycApplicationOf',
  takes: { id: own.id, owner: own.userId.nullable() },
  gives: application,
  sql: `${SELECT} where a.id = $id and a.user_id = coalesce($owner, a.user_id)`,
});

/** The application of a person that has not ended, otherwise the newest one. */
export const currentKycApplication = statement({
  name: 'currentKycApplication',
  takes: { user: own.userId },
  gives: application,
  sql: `${SELECT} where a.user_id = $user order by a.ended_at is null desc, a.created_at desc, a.id desc limit 1`,
});

/** Keeps others from changing an application until the transaction ends. */
export const lockKycApplication = statement({
  name: 'lockKycApplication',
  takes: { id: own.id },
  gives: columnsOf(KycApplication, 'id'),
  sql: 'select x.id from kyc_for_documents($id) x',
});

/** Which applications: what is left out is not narrowed to. */
export interface KycFilter {
  readonly status?: ApplicationStatus | undefined;
  readonly user?: UserId | undefined;
  readonly country?: string | undefined;
}

const listed = {
  ...columnsOf(KycApplication, 'id', 'userId', 'status', 'round', 'needsSecond', 'statusAt', 'dueAt'),
  ...columnsOf(KycApplication, 'submittedAt', 'decidedAt', 'endedAt', 'createdAt', 'updatedAt'),
  country: text(),
};
/** An application in a list. */
export type ListedKycApplication = RowOf<typeof listed>;
const { country: _, ...listedColumns } = listed;

const narrowed = ({ status, user, country }: KycFilter, bind: Bind) =>
  narrowedTo({ 'a.status =': status, 'a.user_id =': user, "a.form->'address'->>'country' =": country }, bind);
const every: KycFilter = { status: 'in_review', user: LAST_ID as UserId, country: 'DE' };

/** A page of applications from beyond one of them, the newest or the oldest first. */
export const kycApplicationsPage = composedStatement({
  name: 'kycApplicationsPage',
  gives: listed,
  compose(
    page: {
      readonly filter: KycFilter;
      readonly order: 'newest' | 'oldest';
      readonly beyond: KycApplicationId | null;
      readonly most: number;
    },
    bind,
  ) {
    const [sign, way] = page.order === 'newest' ? ['<', 'desc'] : ['>', 'asc'];
    const beyond = narrowedTo({ [`a.id ${sign}`]: page.beyond ?? undefined }, bind);
    return `
      select ${selectList(listedColumns, 'a')}, a.form->'address'->>'country' as country
        from kyc_applications a
       where ${narrowed(page.filter, bind)} and ${beyond} order by a.id ${way} limit ${bind(page.most)}`;
  },
  examples: [
    { filter: {}, order: 'newest', beyond: null, most: 1 },
    { filter: every, order: 'oldest', beyond: LAST_ID as KycApplicationId, most: 1 },
  ],
});

/** How many applications there are, by status. */
export const countKycApplications = composedStatement({
  name: 'countKycApplications',
  gives: { ...columnsOf(KycApplication, 'status'), count: bigCount() },
  compose: (filter: KycFilter, bind) =>
    `select a.status, count(*) from kyc_applications a where ${narrowed(filter, bind)} group by a.status`,
  examples: [{}, every],
});

/** What a person is known by, and what they have filled in so far. */
export const kycStandingOf = statement({
  name: 'kycStandingOf',
  takes: { user: own.userId },
  gives: {
    ...columnsOf(User, 'kycStatus', 'kycLevel', 'firstName', 'lastName', 'dateOfBirth', 'address'),
    draft: ownJson<Draft>().nullable(),
    savedAt: columnsOf(KycDraft, 'savedAt').savedAt.nullable(),
    levelInUse: integer(),
  },
  sql: `
    select u.kyc_status, u.kyc_level, u.first_name, u.last_name, u.date_of_birth, u.address, d.form as draft,
           d.saved_at, kyc_level_in_use() as level_in_use
      from users u left join kyc_drafts d on d.user_id = u.id where u.id = $user`,
});
export type KycStanding = RowOf<(typeof kycStandingOf)['gives']>;

/** Keeps a draft, or says why not. */
export const keepKycDraft = statement({
  name: 'keepKycDraft',
  takes: { user: own.userId, draft: ownJson<Draft>() },
  gives: { refusal: oneOf(['application_open']).nullable() },
  sql: 'select kyc_draft_keep($user, $draft) as refusal',
});

/** Submits an application, or the next round of the one there is, or says why not. `application` is the one there is then. */
export const submitKyc = statement({
  name: 'submitKyc',
  takes: {
    ...columnsOf(KycApplication, 'id', 'form', 'required', 'grants', 'needsSecond'),
    ...{ user: own.userId, documentDays: integer() },
  },
  gives: {
    refusal: oneOf([
      ...(['application_open', 'application_final', 'retry_later', 'already_decided'] as const),
    ]).nullable(),
    ...{ application: own.id.nullable(), notBefore: moment().nullable() },
  },
  sql: `
    select refusal, application, not_before
      from kyc_submit($id, $user, $form, $required, $grants, $needsSecond, $documentDays)`,
});

/** Lets somebody do without a check, or says why not. */
export const skipKyc = statement({
  name: 'skipKyc',
  takes: { user: own.userId },
  gives: { refusal: oneOf(['kyc_required', 'not_skippable']).nullable() },
  sql: 'select kyc_skip($user) as refusal',
});

/** Ends an application that its person does not want any more, or says why not. */
export const withdrawKyc = statement({
  name: 'withdrawKyc',
  takes: { id: own.id, owner: own.userId },
  gives: { refusal: oneOf(['not_found', 'already_decided']).nullable() },
  sql: 'select kyc_withdraw($id, $owner) as refusal',
});

/** What a reviewer says. */
export interface KycVerdict {
  readonly note: string | null;
  readonly message?: string | undefined;
  readonly code?: string | undefined;
  readonly final?: boolean | undefined;
  readonly items?: readonly RequestedChange[] | undefined;
}

/** Decides an application, or says why not and what that is about; `needsSecond` if another person has to agree first. */
export const decideKyc = statement({
  name: 'decideKyc',
  takes: {
    ...{ id: own.id, decision: id(), by: id<UserId>(), wanted: oneOf(REVIEW_DECISIONS) },
    ...{ said: ownJson<KycVerdict>(), retryDays: integer(), changesDays: integer(), mostRounds: integer() },
  },
  gives: {
    refusal: oneOf([
      ...(['not_found', 'already_decided', 'same_person', 'too_many_rounds', 'user_blocked'] as const),
      ...(['documents_open', 'document_expired', 'match_open'] as const),
    ]).nullable(),
    ...{ about: textArray(), needsSecond: boolean(), isRepeat: boolean() },
  },
  sql: `
    select x.refusal, x.about, x.needs_second, x.is_repeat
      from kyc_decide($id, $decision, $by, $wanted, $said, $retryDays, $changesDays, $mostRounds) x`,
});

/** Does what is due of an application. */
export const advanceKyc = statement({
  name: 'advanceKyc',
  takes: { id: own.id },
  gives: { state: own.status, lookAgainSeconds: bigCount() },
  sql: 'select state, look_again_seconds from kyc_advance($id)',
});

/** Applications whose person should have been reminded, or which should have expired. */
export const overdueKyc = statement({
  name: 'overdueKyc',
  takes: { lateSeconds: integer(), most: bigCount(), after: id().nullable() },
  gives: { id: id() },
  sql: `
    select a.id from kyc_applications a
     where a.look_at < bank_now() - make_interval(secs => $lateSeconds::integer)
       and a.id > coalesce($after::uuid, '00000000-0000-0000-0000-000000000000')
     order by a.id limit $most`,
});
