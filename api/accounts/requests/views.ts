/** Requests to open an account as the wire shows them. */
import type { z } from 'zod';
import type { AccountRequestRow } from '../../../db/queries/accounts/account-requests.ts';
import type { WebUi } from '../../../services/platform/web-ui.ts';
import { accountRequestProcess } from '../../../workflows/account-request/process.ts';
import { processLink } from '../../wire/process-link.ts';
import { viewOf } from '../../wire/rows.ts';
import * as wire from './schemas.ts';

type View = z.output<typeof wire.AccountOpenRequest>;

const view = viewOf(wire.AccountOpenRequest);

/** As the back office sees it, with who has decided and its process. */
export function reviewedRequestView(request: AccountRequestRow, webUi: WebUi): View {
  return { ...wholeView(request), process: processLink(accountRequestProcess.workflowId(request.id), webUi) };
}

/** As its customer sees it. */
export function accountRequestView(request: AccountRequestRow): View {
  return { ...wholeView(request), decided_by: null };
}

function wholeView(request: AccountRequestRow): View {
  return view({
    ...request,
    accountType: { id: request.accountTypeId, code: request.typeCode, name: request.typeName },
    reason: request.decisionReason,
    waitingSeconds: request.status === 'pending' ? Math.max(0, request.ageSeconds) : null,
    process: undefined,
  });
}
