/**
 * What operators read of a process in the Temporal Web UI: a line that says what and how much, and where the rest is to be found. Made of
 * the row when the process is started, sealed as every payload, and without names, contacts and what customers wrote.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import type { Config } from '../../config.ts';
import {
  requestThatBegan,
  toldAccountRequest,
  toldChange,
  toldMovement,
  toldTicket,
  type ToldMovement,
} from '../../db/queries/platform/telling.ts';
import { AccountRequestId, ChangeId, TicketId, TransferId } from '../../domain/ids.ts';
import { formatMoney, type Money } from '../../domain/money.ts';
import type { ProcessStart } from '../../domain/process.ts';
import { searchAttributes } from '../../workflows/search-attributes.ts';
import { processesUrl, type WebUi } from './web-ui.ts';

/** What a process is started with for whoever looks at it. */
export interface Telling {
  readonly summary: string;
  /** Markdown. */
  readonly details: string;
  readonly requestId: string | null;
}

/** How one kind of process is told of: by its row, and with the operation that shows it. */
interface Kind {
  readonly path: string;
  tell(db: EntityManager, id: string): Promise<Pick<Telling, 'summary' | 'requestId'> | undefined>;
}

/** Of the process that starts; one without a row of its own says what its start says. */
export async function tellingOf(
  db: EntityManager,
  start: ProcessStart,
  config: Pick<Config, 'publicUrl'> & WebUi,
): Promise<Telling> {
  const id = start.workflowId.slice(start.workflowId.indexOf('/') + 1);
  const kind = kinds.get(start.name);
  const row = z.uuid().safeParse(id).success ? await kind?.tell(db, id) : undefined;
  const requestId = start.requestId ?? row?.requestId ?? null;
  const address = kind === undefined ? undefined : `${config.publicUrl}${kind.path}/${id}`;
  const lines = [
    address === undefined ? undefined : `API: [GET ${address}](${address})`,
    start.customer === null ? undefined : customerLine(start.customer, config),
    requestId === null ? undefined : `Request: \`${requestId}\``,
    kind === undefined ? undefined : `Everything about it: \`npm run trace -- ${id}\``,
  ];
  return {
    summary: row?.summary ?? start.summary,
    details: lines.filter((line) => line !== undefined).join('\n\n'),
    requestId,
  };
}

/** Leads to all processes of the customer. */
function customerLine(customer: string, webUi: WebUi): string {
  return `Customer: [${customer}](${processesUrl(webUi, { [searchAttributes.customer.name]: customer })})`;
}

const movements: Kind = {
  path: '/v1/admin/transfers',
  async tell(db, id) {
    const row = await toldMovement.first(db, { id: TransferId.parse(id) });
    return row && { summary: movementSummary(row), requestId: row.originRequestId };
  },
};

const kinds: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['transfer', movements],
  ['adjustment', movements],
  ['reversal', movements],
  [
    'ticket',
    {
      path: '/v1/admin/tickets',
      async tell(db, id) {
        const row = await toldTicket.first(db, { id: TicketId.parse(id) });
        const requestId = await requestThatBegan(db, 'ticket', id);
        return row && { summary: `Ticket ${row.number}, category ${row.category}`, requestId };
      },
    },
  ],
  [
    'account-request',
    {
      path: '/v1/admin/account-requests',
      async tell(db, id) {
        const row = await toldAccountRequest.first(db, { id: AccountRequestId.parse(id) });
        const requestId = await requestThatBegan(db, 'account_request', id);
        return (
          row && { summary: `Request to open an account of type ${row.code} in ${row.asset}`, requestId }
        );
      },
    },
  ],
  [
    'change',
    {
      path: '/v1/admin/changes',
      async tell(db, id) {
        const row = await toldChange.first(db, { id: ChangeId.parse(id) });
        const requestId = await requestThatBegan(db, 'change', id);
        return (
          row && { summary: `Change by ${row.operation} of ${row.resourceType} ${row.resourceId}`, requestId }
        );
      },
    },
  ],
]);

function movementSummary(row: ToldMovement): string {
  const { kind, typeCode, asset, amount, targetAsset, targetAmount, isCredit } = row;
  const paid = words({ minor: amount, asset });
  const arriving =
    asset === targetAsset ? '' : ` that arrives as ${words({ minor: targetAmount, asset: targetAsset })}`;
  switch (kind) {
    case 'transfer':
      return `Transfer of ${paid}${arriving}, type ${typeCode ?? 'none'}`;
    case 'adjustment':
      return `Adjustment: ${isCredit ? 'credit' : 'debit'} of ${paid}`;
    case 'reversal':
      return `Reversal of ${paid}`;
  }
}

function words(money: Money): string {
  const { amount, currency } = formatMoney(money);
  return `${amount} ${currency}`;
}
