/** An order of coins: what it holds is booked against what it gets, or let go. */
import { CancellationScope, setCurrentDetails, sleep, upsertSearchAttributes } from '@temporalio/workflow';
import type { CryptoOrderId } from '../../domain/ids.ts';
import { unlessPermanent } from '../permanent.ts';
import { onMoney, type Carried } from '../queues.ts';
import { searchAttributes } from '../search-attributes.ts';
import type { FilledOrder, OrderOfCoins } from './contract.ts';

/** The effects of its steps. */
export interface OrderActivities extends Carried<'money'> {
  /** Carries the order out, or fails it if the books refuse it for good. Safe to repeat. */
  carryOutOrder(order: CryptoOrderId): Promise<FilledOrder>;
}

const { carryOutOrder } = onMoney<OrderActivities>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** Cancelling the run does nothing: what the order holds would stay held with nobody left to free it. */
export function cryptoOrder(order: OrderOfCoins): Promise<FilledOrder> {
  return CancellationScope.nonCancellable(() => story(order));
}

async function story({ id }: OrderOfCoins): Promise<FilledOrder> {
  for (;;) {
    const filled = await unlessPermanent(carryOutOrder(id), null);
    if (filled !== null) {
      upsertSearchAttributes([{ key: searchAttributes.status, value: filled.status }]);
      setCurrentDetails(filled.failure === null ? 'Filled.' : `Failed: ${filled.failure}`);
      return filled;
    }
    setCurrentDetails('It could not be carried out: somebody must look. It is tried again every day.');
    await sleep('1 day');
  }
}
