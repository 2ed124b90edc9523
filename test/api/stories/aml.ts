/** The happy paths of the money-laundering watch. */
import { z } from 'zod';
import type { Bank } from '../../support/bank/bank.ts';
import { newKey } from '../../support/client.ts';
import { perform, performBesideAnother, type Stories, type Story } from '../story.ts';

/** Never live, so that it judges nothing. */
const ruleOf = (code: string) => ({
  code,
  name: 'A rule of a story',
  severity: 'low',
  action: 'flag',
  applies_to: ['outgoing_transfer'],
  condition: { left: { field: 'amount_base' }, op: 'gte', right: { value: '1000000' } },
});
const newCode = (): string => `s${newKey().replaceAll('-', '')}`;

async function ruleMade(bank: Bank): Promise<string> {
  const creator = await bank.admin('aml:write');
  const made = await creator.client.call('POST', '/v1/admin/aml/rules', {
    ...{ token: creator.token, key: newKey(), body: ruleOf(newCode()) },
  });
  return made.as(z.looseObject({ id: z.uuid() })).id;
}

const ofRule =
  (method: 'GET' | 'PATCH' | 'DELETE', permission: string, path = '', body?: object): Story =>
  async (bank) => {
    const id = await ruleMade(bank);
    return performBesideAnother(bank, await bank.admin(permission), {
      method,
      path: `/v1/admin/aml/rules/${id}${path}`,
      ...(body === undefined ? {} : { body }),
    });
  };

async function listMade(bank: Bank): Promise<string> {
  const code = newCode();
  const writer = await bank.admin('aml:write');
  const body = { code, description: 'Of a story', entries: ['XX'] };
  const call = { token: writer.token, key: newKey(), body };
  await writer.client.call('POST', '/v1/admin/aml/value-lists', call);
  return code;
}

/** A flag that somebody has raised on the account of a customer. */
async function flagRaised(bank: Bank): Promise<string> {
  const account = await bank.account(await bank.customer());
  const raiser = await bank.admin('aml:review');
  const body = { reason: 'many small credits', freeze: false };
  const path = `/v1/admin/accounts/${account.id}/aml-flag`;
  await raiser.client.call('POST', path, { token: raiser.token, key: newKey(), body });
  const [row] = await bank.asOwner('select id from aml_flags where subject_id = $1', [account.id]);
  return String(row?.['id']);
}

/** The report on a flag that was confirmed. */
async function reportOpened(bank: Bank): Promise<string> {
  const id = await flagRaised(bank);
  const reviewer = await bank.admin('aml:review');
  const body = { note: 'The invoice is forged.' };
  const call = { token: reviewer.token, key: newKey(), body };
  const done = await reviewer.client.call('POST', `/v1/admin/aml/flags/${id}/confirm`, call);
  return done.as(z.looseObject({ report_id: z.uuid() })).report_id;
}

const onFlag =
  (path: string, body: object, otherBody: object): Story =>
  async (bank) => {
    const id = await flagRaised(bank);
    const call = { method: 'POST', path: `/v1/admin/aml/flags/${id}/${path}`, key: newKey(), body } as const;
    return perform(await bank.admin('aml:review'), call, { otherBody });
  };

const FILE = { file_name: 'note.txt', content_type: 'text/plain', content_base64: 'SGVsbG8=' };

/** A flag with a file. */
async function attached(bank: Bank) {
  const path = `/v1/admin/aml/flags/${await flagRaised(bank)}/attachments`;
  const reviewer = await bank.admin('aml:review');
  const { token } = reviewer;
  const made = await reviewer.client.call('POST', path, { token, key: newKey(), body: FILE });
  return { path, reviewer, id: made.as(z.looseObject({ id: z.uuid() })).id };
}

export const aml: Stories = {
  listAmlFlags: async (bank) => {
    await flagRaised(bank);
    return perform(await bank.admin('aml:read'), { method: 'GET', path: '/v1/admin/aml/flags' });
  },
  countAmlFlags: async (bank) => {
    await flagRaised(bank);
    return perform(await bank.admin('aml:read'), { method: 'GET', path: '/v1/admin/aml/flags/count' });
  },
  getAmlFlag: async (bank) => {
    const path = `/v1/admin/aml/flags/${await flagRaised(bank)}`;
    return perform(await bank.admin('aml:read'), { method: 'GET', path });
  },
  resolveAmlFlag: onFlag(
    'resolve',
    { resolution: 'cleared', note: 'The invoice was shown.' },
    { resolution: 'false_positive', note: 'The invoice was shown.' },
  ),
  confirmAmlFlag: onFlag('confirm', { note: 'The invoice is forged.' }, { note: 'The invoice is odd.' }),
  assignAmlFlag: onFlag('assign', { assignee_id: null }, { assignee_id: newKey() }),
  escalateAmlFlag: onFlag('escalate', { note: 'Needs a second look.' }, { note: 'Needs help.' }),
  commentAmlFlag: onFlag('comments', { text: 'Asked for the invoice.' }, { text: 'Asked again.' }),
  attachToAmlFlag: onFlag('attachments', FILE, { ...FILE, file_name: 'other.txt' }),
  listAmlAttachments: async (bank) => {
    const { reviewer, path } = await attached(bank);
    return perform(reviewer, { method: 'GET', path });
  },
  getAmlAttachment: async (bank) => {
    const { reviewer, path, id } = await attached(bank);
    return perform(reviewer, { method: 'GET', path: `${path}/${id}` });
  },
  getAmlReport: async (bank) => {
    const path = `/v1/admin/aml/reports/${await reportOpened(bank)}`;
    return perform(await bank.admin('aml:review'), { method: 'GET', path });
  },
  fileAmlReport: async (bank) => {
    const path = `/v1/admin/aml/reports/${await reportOpened(bank)}/file`;
    const call = { method: 'POST', path, key: newKey(), body: { reference: 'FIU-1' } } as const;
    return perform(await bank.admin('aml:review'), call, { otherBody: { reference: 'FIU-2' } });
  },
  listAmlRules: async (bank) => {
    await ruleMade(bank);
    return perform(await bank.admin('aml:read'), { method: 'GET', path: '/v1/admin/aml/rules' });
  },
  createAmlRule: async (bank) => {
    const body = ruleOf(newCode());
    const call = { method: 'POST', path: '/v1/admin/aml/rules', key: newKey(), body } as const;
    return performBesideAnother(bank, await bank.admin('aml:write'), call, {
      otherBody: { ...body, name: 'Another rule' },
    });
  },
  getAmlRule: ofRule('GET', 'aml:read'),
  listAmlRuleVersions: ofRule('GET', 'aml:read', '/versions'),
  updateAmlRule: ofRule('PATCH', 'aml:write', '', { severity: 'medium' }),
  deleteAmlRule: ofRule('DELETE', 'aml:write'),
  testAmlRule: async (bank) => {
    const { applies_to, condition } = ruleOf('tried');
    const events = [
      {
        at: '2026-03-01T09:30:00.000Z',
        kind: 'outgoing_transfer',
        amount: { amount: '1200000.00', currency: 'EUR' },
      },
    ];
    const body = { rule: { applies_to, condition }, base_currency: 'EUR', events };
    return perform(
      await bank.admin('aml:read'),
      { method: 'POST', path: '/v1/admin/aml/rules/test', key: newKey(), body },
      { otherBody: { ...body, base_currency: 'USD' } },
    );
  },
  backtestAmlRule: async (bank) => {
    const { applies_to, condition } = ruleOf('tried');
    const body = { rule: { applies_to, condition }, from: '2026-03-01T09:30:00.000Z' };
    return perform(
      await bank.admin('aml:read'),
      { method: 'POST', path: '/v1/admin/aml/rules/backtest', key: newKey(), body },
      { otherBody: { ...body, from: '2026-03-02T09:30:00.000Z' } },
    );
  },
  getAmlRuleFigures: ofRule('GET', 'aml:read', '/figures'),
  listAmlValueLists: async (bank) => {
    await listMade(bank);
    return perform(await bank.admin('aml:read'), { method: 'GET', path: '/v1/admin/aml/value-lists' });
  },
  getAmlValueList: async (bank) => {
    const path = `/v1/admin/aml/value-lists/${await listMade(bank)}`;
    return perform(await bank.admin('aml:read'), { method: 'GET', path });
  },
  createAmlValueList: async (bank) => {
    const body = { code: newCode(), entries: ['XX'] };
    const call = { method: 'POST', path: '/v1/admin/aml/value-lists', key: newKey(), body } as const;
    return perform(await bank.admin('aml:write'), call, { otherBody: { ...body, entries: ['YY'] } });
  },
  putAmlValueList: async (bank) =>
    performBesideAnother(bank, await bank.admin('aml:write'), {
      method: 'PUT',
      path: `/v1/admin/aml/value-lists/${await listMade(bank)}`,
      body: { description: 'Of a story', entries: ['XX', 'YY'] },
    }),
};
