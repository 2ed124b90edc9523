/** Requests to open an account as the wire shows them. */
import type { z } from 'zod';
import type { AccountRequestRow } from '../../../db/queries/accounts/account-requests.ts';
import { viewOf } from '../../wire/rows.ts';
import * as wire from './schemas.ts';

type View = z.output<typeof wire.AccountOpenRequest>;

const view = viewOf(wire.AccountOpenRequest);

/** As the back office sees it, with who has decided. */
export function reviewedRequestView(request: AccountRequestRow): View {
  return view({
    ...request,
    accountType: { id: request.accountTypeId, code: request.typeCode, name: request.typeName },
    reason: request.decisionReason,
    waitingSeconds: request.status === 'pending' ? Math.max(0, request.ageSeconds) : null,
  });
}

/** As its customer sees it. */
export function accountRequestView(request: AccountRequestRow): View {
  return { ...reviewedRequestView(request), decided_by: null };
}
