/** What the operations of the back office on applications have in common, whatever kind they are of. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import type { Storage } from '../../adapters/storage.ts';
import {
  applicationsPage,
  countApplications,
  type ListedApplication,
} from '../../db/queries/compliance/applications.ts';
import { APPLICATION_STATUSES, type ApplicationKind } from '../../domain/compliance/applications.ts';
import { ApplicationId, UploadId, UserId } from '../../domain/ids.ts';
import type { AdminCall } from '../../services/callers.ts';
import { openDocument } from '../../services/compliance/review.ts';
import { Country } from '../identity/users/schemas.ts';
import { keysetById } from '../wire/cursor.ts';
import { CountResponse } from '../wire/shapes.ts';
import { DocumentLinkResponse, DocumentReviewRequest } from './kyc/admin-schemas.ts';
import { countedView, linkView } from './kyc/admin-views.ts';

const params = z.strictObject({ id: ApplicationId });
const documentParams = params.extend({ document_id: UploadId });

/** The filters of a list; `country` says which country is meant. */
const filtersWith = (country: string) => ({
  status: z.enum(APPLICATION_STATUSES).optional(),
  user_id: UserId.optional(),
  country: Country.optional().describe(country),
});
type Filters = z.output<z.ZodObject<ReturnType<typeof filtersWith>>>;
const filterOf = ({ status, user_id: user, country }: Filters) => ({ status, user, country });

const area = 'Admin compliance';
const reads = { area, method: 'GET', effect: 'read', permission: 'compliance:read', status: 200 } as const;
const decides = { area, method: 'POST', permission: 'compliance:review', status: 200 } as const;

/** Lists and counts the applications of a kind. */
export function finding<Answer extends z.ZodType, Item>(
  kind: ApplicationKind,
  own: {
    readonly country: string;
    readonly answer: Answer;
    readonly view: (row: ListedApplication) => Item;
  },
) {
  const byId = keysetById(`${kind}-applications`, ApplicationId);
  const filters = filtersWith(own.country);
  const order = z.enum(['newest', 'oldest']).default('newest').describe('Which come first.');
  const query = byId.query({ ...filters, order });
  const counted = z.strictObject(filters);
  return {
    list: {
      ...reads,
      query,
      answer: own.answer,
      refuses: [] as const,
      handle: ({
        db,
        query: asked,
      }: {
        readonly db: EntityManager;
        readonly query: z.output<typeof query>;
      }) =>
        byId.page(
          asked,
          (beyond, most) =>
            applicationsPage.all(db, { kind, filter: filterOf(asked), order: asked.order, beyond, most }),
          own.view,
        ),
    },
    count: {
      ...reads,
      query: counted,
      answer: CountResponse,
      refuses: [] as const,
      handle: async (request: { readonly db: EntityManager; readonly query: z.output<typeof counted> }) =>
        countedView(await countApplications.all(request.db, { kind, filter: filterOf(request.query) })),
    },
  };
}

/** Reads one application. */
export const reading = { ...reads, params, refuses: ['same_person'] } as const;

/** Reads the application of a customer. */
export const readingOfUser = {
  ...reads,
  params: z.strictObject({ user_id: UserId }),
  refuses: ['same_person'],
} as const;

/** Decides an application. */
export const deciding = {
  ...decides,
  idempotency: 'accepted',
  effect: 'own_transactions',
  params,
  refuses: [
    ...(['already_decided', 'same_person', 'too_many_rounds', 'user_blocked'] as const),
    ...(['documents_open', 'children_open', 'document_expired', 'match_open'] as const),
  ],
} as const;

/** Accepts or rejects one document. */
export const decidingDocument = {
  ...decides,
  idempotency: 'accepted',
  effect: 'transaction',
  params: documentParams,
  body: DocumentReviewRequest,
  refuses: ['already_decided', 'same_person'],
  beyond: true,
} as const;

/** Answers where one document of an application of a kind can be looked at. */
export const opening = (kind: ApplicationKind) =>
  ({
    ...decides,
    description:
      'Returns an address at which one document can be looked at for ten minutes. Each look is recorded in the audit log.',
    idempotency: 'none',
    effect: 'transaction',
    params: documentParams,
    answer: DocumentLinkResponse,
    refuses: ['same_person'],
    beyond: true,
    async handle(
      request: Pick<AdminCall<'same_person'>, 'db' | 'actor' | 'refusal'> & {
        readonly params: z.output<typeof documentParams>;
      },
      { storage }: { readonly storage: Storage },
    ) {
      const { id, document_id: document } = request.params;
      return linkView(await openDocument(request, kind, id, document), storage);
    },
  }) as const;
