/** The happy paths of changes that wait for a second administrator. */
import type { Bank, Person } from '../../support/bank/bank.ts';
import { ChangeAnswer } from '../../support/bank/second-person.ts';
import { newKey } from '../../support/client.ts';
import { perform, type Made, type Performed, type Stories, type Story } from '../story.ts';

/** An overdraft that somebody has asked for. */
async function asked(bank: Bank): Promise<{ id: string; maker: Person }> {
  const { id: account } = await bank.account(await bank.customer());
  const [maker] = [await bank.admin('accounts:write'), await bank.admin('accounts:write')];
  const answer = await maker.client.call('PATCH', `/v1/admin/accounts/${account}/limits`, {
    token: maker.token,
    body: { overdraft_limit: { amount: '500.00', currency: 'EUR' }, reason: 'Salary comes in here' },
  });
  return { id: answer.as(ChangeAnswer).id, maker };
}

const looking =
  (path: (id: string) => string): Story =>
  async (bank) => {
    const { id, maker } = await asked(bank);
    return perform(maker, { method: 'GET', path: path(id) });
  };

const deciding =
  (verb: string, body: Pick<Made, 'body'>, more: Pick<Performed, 'otherBody'> = {}): Story =>
  async (bank) => {
    const { id, maker } = await asked(bank);
    const person = verb === 'withdraw' ? maker : await bank.admin('accounts:write');
    return perform(
      person,
      { method: 'POST', path: `/v1/admin/changes/${id}/${verb}`, key: newKey(), ...body },
      more,
    );
  };

export const changes: Stories = {
  listChanges: looking(() => '/v1/admin/changes'),
  countChanges: looking(() => '/v1/admin/changes/count'),
  getChange: looking((id) => `/v1/admin/changes/${id}`),
  approveChange: deciding('approve', { body: {} }, { otherBody: { reason: 'Agreed' } }),
  rejectChange: deciding(
    'reject',
    { body: { reason: 'Too high' } },
    { otherBody: { reason: 'Much too high' } },
  ),
  withdrawChange: deciding('withdraw', {}),
};
