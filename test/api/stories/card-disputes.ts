/** The happy paths of disputes, and of the files that holders hand in with them. */
import { call } from '../../support/bank/accounts.ts';
import type { Bank } from '../../support/bank/bank.ts';
import {
  newDispute,
  newFiledDispute,
  NOT_RECEIVED,
  type Disputed,
} from '../../support/bank/card-disputes.ts';
import { newClearedPayment, signed } from '../../support/bank/card-network.ts';
import { newKey } from '../../support/client.ts';
import { perform, type Made, type Stories, type Story } from '../story.ts';
import { NOTE, UploadAnswer } from './tickets.ts';

interface Told extends Pick<Made, 'method' | 'body'> {
  readonly at?: string;
  readonly otherBody?: object;
}

/** A call of a holder about a dispute. */
const ofHolder =
  ({ method, body, at = '', otherBody }: Told): Story =>
  async (bank) => {
    const { wallet, dispute } = await newDispute(bank);
    const made = {
      ...{ method, path: `/v1/card-disputes/${dispute.id}${at}` },
      ...(body === undefined ? {} : { body }),
      ...(method === 'POST' && !at.endsWith('upload-url') ? { key: newKey() } : {}),
    };
    return perform(wallet.holder, made, {
      stranger: { token: (await bank.customer()).token },
      ...(otherBody === undefined ? {} : { otherBody }),
    });
  };

/** A dispute with a file. */
async function evidenced(bank: Bank): Promise<Disputed> {
  const disputed = await newDispute(bank);
  const path = `/v1/card-disputes/${disputed.dispute.id}/attachments`;
  await call(disputed.wallet.holder, 'POST', path, NOTE);
  return disputed;
}

const accepted = { decision: 'accept', reason: 'No proof of delivery' };

export const cardDisputes: Stories = {
  openCardDispute: async (bank) => {
    const { wallet, payment } = await newClearedPayment(bank);
    const path = `/v1/card-payments/${payment.id}/disputes`;
    return perform(
      wallet.holder,
      { method: 'POST', path, key: newKey(), body: NOT_RECEIVED },
      {
        otherBody: { ...NOT_RECEIVED, explanation: 'Another' },
        stranger: { token: (await bank.customer()).token },
      },
    );
  },
  listCardDisputes: async (bank) => {
    const { wallet } = await newDispute(bank);
    return perform(wallet.holder, { method: 'GET', path: '/v1/card-disputes' });
  },
  getCardDispute: ofHolder({ method: 'GET' }),
  withdrawCardDispute: ofHolder({ method: 'POST', at: '/withdraw' }),
  attachToCardDispute: ofHolder({
    ...{ method: 'POST', at: '/attachments', body: NOTE },
    otherBody: { ...NOTE, file_name: 'other.txt' },
  }),
  listCardDisputeAttachments: async (bank) => {
    const { wallet, dispute } = await evidenced(bank);
    const path = `/v1/card-disputes/${dispute.id}/attachments`;
    const stranger = { token: (await bank.customer()).token };
    return perform(wallet.holder, { method: 'GET', path }, { stranger });
  },
  requestCardDisputeUpload: ofHolder({
    ...{ method: 'POST', at: '/attachments/upload-url' },
    body: { file_name: 'note.txt', content_type: 'text/plain' },
  }),
  confirmCardDisputeUpload: async (bank) => {
    const { wallet, dispute } = await newDispute(bank);
    const { holder } = wallet;
    const root = `/v1/card-disputes/${dispute.id}/attachments`;
    const body = { file_name: 'note.txt', content_type: 'text/plain' };
    const asked = await holder.client.call('POST', `${root}/upload-url`, { token: holder.token, body });
    const upload = asked.as(UploadAnswer);
    await fetch(upload.upload_url, { method: 'PUT', headers: upload.upload_headers, body: 'Hello' });
    const made = { method: 'POST', path: `${root}/${upload.document_id}/confirm` } as const;
    return perform(holder, made, { stranger: { token: (await bank.customer()).token } });
  },
  takeCardDisputeOutcome: async (bank) => {
    const { wallet, dispute } = await newFiledDispute(bank);
    const outcome = signed({ dispute_id: dispute.id, outcome: 'won' });
    return perform(wallet.holder, { method: 'POST', path: '/v1/cards/network/disputes', ...outcome });
  },
  listCardDisputesAsAdmin: async (bank) => {
    const { wallet } = await newDispute(bank);
    const query = { user_id: wallet.holder.id };
    return perform(await bank.admin('cards:read'), { method: 'GET', path: '/v1/admin/card-disputes', query });
  },
  getCardDisputeAsAdmin: async (bank) => {
    const path = `/v1/admin/card-disputes/${(await newDispute(bank)).dispute.id}`;
    return perform(await bank.admin('cards:read'), { method: 'GET', path });
  },
  listCardDisputeAttachmentsAsAdmin: async (bank) => {
    const path = `/v1/admin/card-disputes/${(await evidenced(bank)).dispute.id}/attachments`;
    return perform(await bank.admin('cards:read'), { method: 'GET', path });
  },
  decideCardDispute: async (bank) => {
    const { dispute } = await newDispute(bank);
    const path = `/v1/admin/card-disputes/${dispute.id}/decide`;
    return perform(
      await bank.admin('cards:read', 'cards:write'),
      { method: 'POST', path, key: newKey(), body: accepted },
      { otherBody: { ...accepted, decision: 'reject' } },
    );
  },
};
