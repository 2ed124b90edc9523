/** Applications of people. */
import type { ApplicantForm, KycDraft as Draft, KycForm } from '../../../domain/compliance/kyc.ts';
import { integer, moment, oneOf, ownJson, textArray, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { KycApplication, KycDraft } from '../../schema/compliance.ts';
import { User } from '../../schema/identity.ts';
import { known, KNOWN_OF, ownColumns } from './applications.ts';

const own = {
  ...{ ...ownColumns, kind: oneOf(['kyc']) },
  ...{ ...columnsOf(KycApplication, 'kybApplicationId', 'personRef'), form: ownJson<ApplicantForm>() },
};
const application = { ...own, ...known, differences: textArray() };
/** An application with the documents that it needs and has, and what the profile says otherwise than its form. */
export type KycApplicationRow = RowOf<typeof application>;

const select = (from: string): string =>
  `select ${selectList(own, 'a')}, ${KNOWN_OF}, kyc_differences(a) as differences from ${from} a`;

/** One application; if an owner is given, only their own, and none of a company's people. */
export const kycApplicationOf = statement({
  name: 'kycApplicationOf',
  takes: { id: own.id, owner: own.userId.nullable() },
  gives: application,
  sql: `
    ${select('kyc_applications')}
     where a.id = $id and a.kind = 'kyc'
       and ($owner::uuid is null or a.user_id = $owner and a.kyb_application_id is null)`,
});

/** The application that says how far a person is: the open one, the approval that stands, or the newest one. */
export const currentKycApplication = statement({
  name: 'currentKycApplication',
  takes: { user: own.userId },
  gives: application,
  sql: select("compliance_current($user, 'kyc')"),
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
    ...columnsOf(KycApplication, 'id', 'required', 'grants'),
    enhanced: columnsOf(KycApplication, 'required').required,
    form: ownJson<KycForm>(),
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
      from kyc_apply($id, $user, $form, $required, $enhanced, $grants, $documentDays)`,
});

/** Lets somebody do without a check, or says why not. */
export const skipKyc = statement({
  name: 'skipKyc',
  takes: { user: own.userId },
  gives: { refusal: oneOf(['kyc_required', 'not_skippable']).nullable() },
  sql: 'select kyc_skip($user) as refusal',
});
