/** The happy paths of coins. */
import type { Bank, Person } from '../../support/bank/bank.ts';
import { perform, performBesideAnother, type Stories } from '../story.ts';

const office = (bank: Bank): Promise<Person> => bank.admin('crypto:read');
const COIN = '/v1/admin/crypto/assets/LTC';
const NETWORK = '/v1/admin/crypto/networks/LTC/litecoin';

export const crypto: Stories = {
  listCryptoAssetsAsAdmin: async (bank) =>
    perform(await office(bank), { method: 'GET', path: '/v1/admin/crypto/assets' }),
  getCryptoAssetAsAdmin: async (bank) => perform(await office(bank), { method: 'GET', path: COIN }),
  updateCryptoAsset: async (bank) =>
    performBesideAnother(bank, await bank.admin('crypto:write'), {
      ...{ method: 'PATCH', path: COIN, body: { breaker_bps: 900 } },
    }),
  listCryptoNetworks: async (bank) =>
    perform(await office(bank), { method: 'GET', path: '/v1/admin/crypto/networks' }),
  getCryptoNetwork: async (bank) => perform(await office(bank), { method: 'GET', path: NETWORK }),
  updateCryptoNetwork: async (bank) =>
    performBesideAnother(bank, await bank.admin('crypto:write'), {
      ...{ method: 'PATCH', path: NETWORK, body: { confirmations: 7 } },
    }),
  checkCryptoAddress: async (bank) =>
    perform(await bank.customer(), {
      method: 'POST',
      path: '/v1/crypto/addresses/check',
      body: {
        ...{ asset: 'BTC', network: 'bitcoin' },
        address: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
      },
    }),
};
