/** What the card network has decided about disputes. */
import { settleDisputeByNetwork } from '../../../services/cards/disputes.ts';
import { forPartners } from '../../declaration/operation.ts';
import { isNetworkSigned } from '../payments/network-operations.ts';
import * as wire from './schemas.ts';

export const takeCardDisputeOutcome = forPartners({
  id: 'takeCardDisputeOutcome',
  area: 'Finance',
  title: 'Take outcome of card dispute',
  description:
    'Takes what the card network has decided about a dispute that was filed, signed as its messages are. The same outcome again gets the same answer.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/cards/network/disputes',
  effect: 'transaction',
  body: wire.CardDisputeOutcome,
  status: 200,
  answer: wire.CardDisputeOutcomeAnswer,
  refuses: ['not_found', 'already_decided', 'not_filed'],
  beyond: true,
  verify: isNetworkSigned,
  async handle(request) {
    const { dispute_id: id, outcome } = request.body;
    const { status } = await settleDisputeByNetwork(request, id, outcome);
    return { dispute_id: id, status };
  },
});

/** In the order of the documentation. */
export const operations = [takeCardDisputeOutcome];
