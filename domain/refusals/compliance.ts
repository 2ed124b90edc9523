/** Identity checks of people and companies. */
import type { Entry } from './entry.ts';

export const complianceRefusals = {
  kyc_required: {
    status: 409,
    title: 'Identity check required',
    cause:
      'This needs a higher level of identification: `required` of 0 to 2, where the customer has `level`.',
    cure: 'Submit an identity check; `next` is where it begins.',
  },
  application_open: {
    status: 409,
    title: 'Already submitted',
    cause: 'An application of the caller has not ended: `application_id`.',
    cure: 'Read its status, which says what is missing or has to be changed; or withdraw it.',
  },
  application_final: {
    status: 409,
    title: 'No new application',
    cause: 'The last application was decided, and the bank takes no other one.',
    cure: 'Ask support.',
  },
  retry_later: {
    status: 409,
    title: 'Too early to apply again',
    cause: 'The last application was rejected a short time ago.',
    cure: 'Apply again from `retry_at` on.',
  },
  application_closed: {
    status: 409,
    title: 'Application closed',
    cause: 'The application has ended: `application_status` says how.',
    cure: 'Submit a new application, and hand the documents in with that.',
  },
  field_locked: {
    status: 409,
    title: 'Not to be changed',
    cause: 'No change of this was asked for; `pointer` says of what.',
    cure: 'Change only what the status of the application names under `changes`.',
  },
  below_law: {
    status: 409,
    title: 'Too low a risk',
    cause:
      'The law asks that such a customer is treated as a high risk, such as one who is politically exposed.',
    cure: 'Leave the rating, or correct what it rests on.',
  },
  factor_by_law: {
    status: 409,
    title: 'Asked for by law',
    cause: 'The law asks that this factor makes a customer a high risk.',
    cure: 'Change only its points.',
  },
  not_skippable: {
    status: 409,
    title: 'Not to be skipped',
    cause: 'Only somebody who has not submitted anything yet can do without the check.',
    cure: 'Read GET /v1/kyc/applications/me.',
  },
  documents_open: {
    status: 409,
    title: 'Documents open',
    cause: 'Required documents are not accepted yet: `document_types`.',
    cure: 'Accept each of them first, or ask for other ones.',
  },
  children_open: {
    status: 409,
    title: 'People open',
    cause: 'People of the company are not approved yet: `application_ids`.',
    cure: 'Decide each of these applications first, or ask for other people.',
  },
  document_expired: {
    status: 409,
    title: 'Document expired',
    cause: 'The identity document has expired since the application was submitted.',
    cure: 'Ask for a change of /document.',
  },
  match_open: {
    status: 409,
    title: 'Match open',
    cause:
      'The applicant could be an entry of a sanctions list, and nobody has decided that they are not: `flags`; none if the comparison is still under way.',
    cure: 'Resolve the flags, then decide.',
  },
  user_blocked: {
    status: 409,
    title: 'User blocked',
    cause: 'The applicant is blocked.',
    cure: 'Unblock them first, or reject the application.',
  },
  too_many_rounds: {
    status: 409,
    title: 'Too many rounds',
    cause: 'Changes have been requested as often as they may be.',
    cure: 'Approve, which takes two people now, or reject.',
  },
} as const satisfies Record<string, Entry>;
