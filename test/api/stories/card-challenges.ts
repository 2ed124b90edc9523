/** The happy paths of 3-D Secure. */
import { signed } from '../../support/bank/card-network.ts';
import { authenticationOf, CONFIRMATION, newChallenge, onlineWallet } from '../../support/bank/challenges.ts';
import { newKey } from '../../support/client.ts';
import { perform, type Stories } from '../story.ts';

const pathOf = (id: string, at = ''): string => `/v1/card-challenges/${id}${at}`;

export const cardChallenges: Stories = {
  takeCardAuthentication: async (bank) => {
    const wallet = await onlineWallet(bank);
    const asked = signed(authenticationOf(wallet));
    return perform(wallet.holder, { method: 'POST', path: '/v1/cards/network/authentications', ...asked });
  },
  listCardChallenges: async (bank) => {
    const { wallet } = await newChallenge(bank);
    const query = { status: 'pending' };
    return perform(wallet.holder, { method: 'GET', path: '/v1/card-challenges', query });
  },
  getCardChallenge: async (bank) => {
    const { wallet, id } = await newChallenge(bank);
    return perform(wallet.holder, { method: 'GET', path: pathOf(id) });
  },
  approveCardChallenge: async (bank) => {
    const [{ wallet, id }, stranger] = [await newChallenge(bank), await bank.customer()];
    const { holder } = wallet;
    const stepUp = await holder.stepUp('approveCardChallenge', CONFIRMATION);
    return perform(
      holder,
      { method: 'POST', path: pathOf(id, '/approve'), key: newKey(), stepUp, body: CONFIRMATION },
      {
        otherBody: { ...CONFIRMATION, merchant: 'Another shop' },
        stranger: {
          token: stranger.token,
          stepUp: await stranger.stepUp('approveCardChallenge', CONFIRMATION),
        },
        another: async () => pathOf((await newChallenge(bank, wallet)).id, '/approve'),
      },
    );
  },
  declineCardChallenge: async (bank) => {
    const [{ wallet, id }, stranger] = [await newChallenge(bank), await bank.customer()];
    return perform(
      wallet.holder,
      { method: 'POST', path: pathOf(id, '/decline'), key: newKey(), body: { block_card: true } },
      { otherBody: {}, stranger: { token: stranger.token } },
    );
  },
};
