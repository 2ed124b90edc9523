/** The happy paths of screening against lists of names. */
import { randomUUID } from 'node:crypto';
import type { Bank } from '../../support/bank/bank.ts';
import { perform, type Stories } from '../story.ts';

const somebody = { kind: 'person', name: 'Dragan Vasiljkovic' };

/** A list that waits for somebody; answers its id. Nobody else loads this source. */
async function waitingList(bank: Bank): Promise<string> {
  const id = randomUUID();
  await bank.asOwner(
    `insert into screening_list_loads (id, source, status, checksum, counts, removed)
     values ($1, 'eu', 'pending_change', repeat('0', 64), '{"person": 1, "company": 0, "vessel": 0, "aircraft": 0, "names": 1}', 9)`,
    [id],
  );
  await bank.asOwner(
    `insert into screening_staged (load_id, ref, kind, names, details, content_hash, identity_hash)
     values ($1, 'S-1', 'person', '[{"name": "Askel Storyman", "quality": "primary"}]',
       '{"birthDates": [], "gender": null, "nationalities": [], "countries": [], "identifiers": []}', $2, $2)`,
    [id, id],
  );
  return id;
}

export const screening: Stories = {
  listScreeningLists: async (bank) => {
    await waitingList(bank);
    return perform(await bank.admin('aml:read'), { method: 'GET', path: '/v1/admin/aml/lists' });
  },
  agreeToScreeningList: async (bank) => {
    const id = await waitingList(bank);
    return perform(await bank.admin('aml:write'), {
      method: 'POST',
      path: `/v1/admin/aml/lists/${id}/agree`,
    });
  },
  searchScreeningLists: async (bank) =>
    perform(await bank.admin('aml:read'), {
      method: 'POST',
      path: '/v1/admin/aml/screening/search',
      body: { asked: somebody },
    }),
  compareScreeningNames: async (bank) =>
    perform(await bank.admin('aml:read'), {
      method: 'POST',
      path: '/v1/admin/aml/screening/compare',
      body: {
        pairs: [
          {
            asked: somebody,
            entry: { kind: 'person', names: [{ name: 'VASILJKOVIC, Dragan', quality: 'primary' }] },
          },
        ],
      },
    }),
};
