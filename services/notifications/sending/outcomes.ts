/**
 * What becomes of deliveries, written for many of them in one round trip and one commit: whatever comes while one is written goes with the
 * next. A word is heard before the delivery goes on, so nothing is sent that was not begun.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import { createBatcher } from '../../../db/ledger/batches.ts';
import {
  beginDeliveries,
  endDeliveries,
  showDeliveries,
  type ClaimedDelivery,
} from '../../../db/queries/notifications/deliveries.ts';
import { isPermanentState, sqlStateOf } from '../../../db/sql-state.ts';
import type { DeliveryStatus } from '../../../domain/notifications/notifications.ts';

/** Longer than any server is waited for. After it a worker that has begun counts as dead. */
const BEGUN_SECONDS = 120;
const MOST_IN_A_BATCH = 64;

type Which = Pick<ClaimedDelivery, 'id' | 'claim' | 'notificationId'>;

/** Each answers false if the claim is lost. */
export interface Outcomes {
  /** False also if the address gets no mail. */
  begin(which: Which, address: string): Promise<boolean>;
  end(which: Which, outcome: Ended): Promise<boolean>;
  show(which: Which, shown: Shown): Promise<boolean>;
}

interface Ended {
  readonly status: DeliveryStatus;
  readonly reason: string | null;
  readonly providerId: string | null;
}

interface Shown {
  readonly title: string;
  readonly body: string;
}

export function createOutcomes(em: () => EntityManager): Outcomes {
  const begin = batched((items: readonly (Fenced & { address: string })[]) =>
    beginDeliveries.all(em(), { items, leaseSeconds: BEGUN_SECONDS }),
  );
  const end = batched(
    (items: readonly (Fenced & Omit<Ended, 'providerId'> & { provider_id: string | null })[]) =>
      endDeliveries.all(em(), { items }),
  );
  const show = batched((items: readonly (Fenced & Shown & { link: null })[]) =>
    showDeliveries.all(em(), { items }),
  );
  return {
    begin: (which, address) => begin.submit({ ...fenced(which), address }),
    end: (which, { status, reason, providerId }) =>
      end.submit({ ...fenced(which), status, reason, provider_id: providerId }),
    show: (which, { title, body }) => show.submit({ ...fenced(which), title, body, link: null }),
  };
}

type Fenced = ReturnType<typeof fenced>;
const fenced = ({ id, claim, notificationId }: Which) => ({ id, claim, notification_id: notificationId });

/** What the database does not take fails alone. */
function batched<Item extends Fenced>(
  write: (items: readonly Item[]) => Promise<readonly { readonly id: string; readonly done: boolean }[]>,
) {
  return createBatcher<Item, boolean>({
    most: MOST_IN_A_BATCH,
    atOnce: 1,
    needs: () => [],
    retry(error) {
      const state = sqlStateOf(error);
      return state !== undefined && (isPermanentState(state) || state.startsWith('40')) ? 'halves' : 'none';
    },
    async carry(items) {
      const done = new Map((await write(items)).map((each) => [each.id, each.done]));
      return items.map(({ id }) => done.get(id) ?? false);
    },
  });
}
