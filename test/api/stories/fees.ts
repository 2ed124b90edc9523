/** The happy paths of fee rules, exchange rates and the configuration of transfer types. */
import { openBank, type Person } from '../../support/bank.ts';
import { newKey } from '../../support/client.ts';
import type { Made, Performed, Stories } from '../story.ts';

type Bank = ReturnType<typeof openBank>;

/** Opens a bank for one story and closes it again. */
function told(story: (bank: Bank) => Promise<Performed>): () => Promise<Performed> {
  return async () => {
    const bank = openBank();
    try {
      return await story(bank);
    } finally {
      await bank.close();
    }
  };
}

async function perform(
  person: Person,
  made: Omit<Made, 'token'>,
  more: Partial<Performed> = {},
): Promise<Performed> {
  const complete = { ...made, token: person.token };
  return { made: complete, answer: await person.client.call(made.method, made.path, complete), ...more };
}

/** In a currency that no other test pays in: a rule is for every transfer that fits it. */
const rule = {
  code: 'story_fee',
  currency: 'MVR',
  description: 'Fee of a story',
  flat: { amount: '1.00', currency: 'MVR' },
  rate_bps: '15',
};

const ofRule = (method: 'GET' | 'PATCH', permission: string, path = '', body?: object) =>
  told(async (bank) => {
    const creator = await bank.admin('fees:write');
    const created = await perform(creator, { method: 'POST', path: '/v1/admin/fee-rules', body: rule });
    const { id } = created.answer.body as { id: string };
    return perform(await bank.admin(permission), {
      method,
      path: `/v1/admin/fee-rules/${id}${path}`,
      ...(body === undefined ? {} : { body }),
    });
  });

const get = (permission: string, path: string) =>
  told(async (bank) => perform(await bank.admin(permission), { method: 'GET', path }));

export const fees: Stories = {
  createFeeRule: told(async (bank) => {
    const call = { method: 'POST', path: '/v1/admin/fee-rules', key: newKey(), body: rule } as const;
    return perform(await bank.admin('fees:write'), call, { otherBody: { ...rule, rate_bps: '16' } });
  }),
  listAccountFees: get('fees:read', '/v1/admin/account-fees'),
  listFeeRules: get('fees:read', '/v1/admin/fee-rules'),
  getFeeRule: ofRule('GET', 'fees:read'),
  listFeeRuleVersions: ofRule('GET', 'fees:read', '/versions'),
  updateFeeRule: ofRule('PATCH', 'fees:write', '', { rate_bps: '12.5' }),
  listFxRates: get('fx:read', '/v1/admin/fx-rates'),
  listTransferTypesAsAdmin: get('transfers:read', '/v1/admin/transfer-types'),
  getTransferType: get('transfers:read', '/v1/admin/transfer-types/sepa'),
  updateTransferType: told(async (bank) =>
    perform(await bank.admin('transfers:configure'), {
      method: 'PATCH',
      path: '/v1/admin/transfer-types/international',
      body: { name: 'International transfer' },
    }),
  ),
  upsertFxRate: told(async (bank) =>
    perform(await bank.admin('fx:write'), {
      method: 'PUT',
      path: '/v1/admin/fx-rates/MVR/BTN',
      body: { rate: '5.4321', spread_bps: '25', source: 'a story' },
    }),
  ),
};
