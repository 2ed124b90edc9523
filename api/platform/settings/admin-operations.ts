/** Settings that operators look up: how long what is waited for. */
import { waitingTimes } from '../../../config.ts';
import { forAdmins } from '../../declaration/operation.ts';
import * as wire from './schemas.ts';

export const listSettings = forAdmins({
  id: 'listSettings',
  area: 'Admin processes',
  title: 'List waiting times',
  description:
    'Lists the settings that say how long something waits or lasts, or how often it is tried, by name. Open to every administrator.',
  method: 'GET',
  path: '/v1/admin/settings',
  effect: 'read',
  permission: null,
  status: 200,
  answer: wire.SettingList,
  refuses: [],
  beyond: true,
  handle: (_request, { config }) => Promise.resolve({ items: waitingTimes(config) }),
});

/** In the order of the documentation. */
export const operations = [listSettings];
