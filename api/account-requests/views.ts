/** Requests to open an account as the wire shows them. */
import type { z } from 'zod';
import type { AccountRequestRow } from '../../db/queries/accounts/account-requests.ts';
import type * as wire from './schemas.ts';

type View = z.input<typeof wire.AccountOpenRequest>;

/** As its customer sees it. */
export function accountRequestView(request: AccountRequestRow): View {
  return {
    id: request.id,
    user_id: request.user_id,
    account_type: { id: request.type_id, code: request.type_code, name: request.type_name },
    nickname: request.nickname,
    status: request.status,
    account_id: request.account_id,
    reason: request.decision_reason,
    created_at: request.created_at.toISOString(),
    waiting_seconds: request.status === 'pending' ? Math.max(0, request.age_seconds) : null,
    expires_at: request.expires_at.toISOString(),
    decided_at: request.decided_at?.toISOString() ?? null,
    decided_by: null,
  };
}

/** With who has decided. */
export function reviewedRequestView(request: AccountRequestRow): View {
  return { ...accountRequestView(request), decided_by: request.decided_by };
}
