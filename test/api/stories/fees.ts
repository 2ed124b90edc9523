/** The happy paths of fee rules, exchange rates and the configuration of transfer types. */
import { z } from 'zod';
import { insertFeeRule } from '../../support/bank/pricing.ts';
import type { Bank } from '../../support/bank/bank.ts';
import { approvedCall } from '../../support/bank/second-person.ts';
import { newKey } from '../../support/client.ts';
import { perform, performBesideAnother, type Stories, type Story } from '../story.ts';

/** In a currency that no other test pays in: a rule is for every transfer that fits it. */
const rule = {
  code: 'story_fee',
  currency: 'MVR',
  description: 'Fee of a story',
  flat: { amount: '1.00', currency: 'MVR' },
  rate_bps: '15',
};

/** A rule that a second administrator has approved; answers its id. */
async function ruleMade(bank: Bank): Promise<string> {
  const creator = await bank.admin('fees:write');
  const created = await approvedCall(bank, creator, 'POST', '/v1/admin/fee-rules', { body: rule });
  return created.as(z.looseObject({ id: z.uuid() })).id;
}

const ofRule =
  (method: 'GET' | 'PATCH', permission: string, path = '', body?: object): Story =>
  async (bank) => {
    const id = await ruleMade(bank);
    return performBesideAnother(bank, await bank.admin(permission), {
      method,
      path: `/v1/admin/fee-rules/${id}${path}`,
      ...(body === undefined ? {} : { body }),
    });
  };

const get =
  (permission: string, path: string): Story =>
  async (bank) =>
    perform(await bank.admin(permission), { method: 'GET', path });

/** An account that owes its fee for this month: the process that charges it is told elsewhere. */
async function owingAccount(bank: Bank): Promise<void> {
  const account = await bank.account(await bank.customer());
  const rule = await insertFeeRule(bank, { purpose: 'monthly', flat: 490 });
  await bank.asOwner(
    `insert into account_fees (id, account_id, month, rule_id, rule_version, asset, amount, description, status, refusal)
     values (name_uuid('story/' || $1), $1::uuid, date_trunc('month', now())::date, $2, 1, 'EUR', 490, 'Account fee', 'refused', 'insufficient_funds')`,
    [account.id, rule],
  );
}

export const fees: Stories = {
  createFeeRule: async (bank) => {
    const call = { method: 'POST', path: '/v1/admin/fee-rules', key: newKey(), body: rule } as const;
    return performBesideAnother(bank, await bank.admin('fees:write'), call, {
      otherBody: { ...rule, rate_bps: '16' },
    });
  },
  listAccountFees: async (bank) => {
    await owingAccount(bank);
    return perform(await bank.admin('fees:read'), { method: 'GET', path: '/v1/admin/account-fees' });
  },
  listFeeRules: async (bank) => {
    await ruleMade(bank);
    return perform(await bank.admin('fees:read'), { method: 'GET', path: '/v1/admin/fee-rules' });
  },
  getFeeRule: ofRule('GET', 'fees:read'),
  listFeeRuleVersions: ofRule('GET', 'fees:read', '/versions'),
  updateFeeRule: ofRule('PATCH', 'fees:write', '', { rate_bps: '12.5' }),
  listFxRates: async (bank) => {
    const creator = await bank.admin('fx:write');
    await approvedCall(bank, creator, 'PUT', '/v1/admin/fx-rates/MVR/BTN', { body: { rate: '5.4321' } });
    return perform(await bank.admin('fx:read'), { method: 'GET', path: '/v1/admin/fx-rates' });
  },
  listTransferTypesAsAdmin: get('transfers:read', '/v1/admin/transfer-types'),
  getTransferType: get('transfers:read', '/v1/admin/transfer-types/sepa'),
  updateTransferType: async (bank) =>
    perform(await bank.admin('transfers:configure'), {
      method: 'PATCH',
      path: '/v1/admin/transfer-types/international',
      body: { name: 'International transfer' },
    }),
  upsertFxRate: async (bank) =>
    performBesideAnother(bank, await bank.admin('fx:write'), {
      method: 'PUT',
      path: '/v1/admin/fx-rates/MVR/BTN',
      body: { rate: '5.4321', spread_bps: '25', source: 'a story' },
    }),
};
