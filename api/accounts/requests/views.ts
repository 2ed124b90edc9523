/** Requests to open an account as the wire shows them. */
import type { z } from 'zod';
import type { AccountRequestRow } from '../../../db/queries/accounts/account-requests.ts';
import type * as wire from './schemas.ts';

type View = z.input<typeof wire.AccountOpenRequest>;

/** As its customer sees it. */
export function accountRequestView(request: AccountRequestRow): View {
  return {
    id: request.id,
    user_id: request.userId,
    account_type: { id: request.accountTypeId, code: request.typeCode, name: request.typeName },
    nickname: request.nickname,
    status: request.status,
    account_id: request.accountId,
    reason: request.decisionReason,
    created_at: request.createdAt.toISOString(),
    waiting_seconds: request.status === 'pending' ? Math.max(0, request.ageSeconds) : null,
    expires_at: request.expiresAt.toISOString(),
    decided_at: request.decidedAt?.toISOString() ?? null,
    decided_by: null,
  };
}

/** With who has decided. */
export function reviewedRequestView(request: AccountRequestRow): View {
  return { ...accountRequestView(request), decided_by: request.decidedBy };
}
