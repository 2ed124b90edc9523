/** Wire shapes of the settings that operators look up. */
import { z } from 'zod';
import { named } from '../../wire/naming.ts';

export const WaitingTime = named(
  'WaitingTime',
  z.strictObject({
    name: z.string().describe('Name of the setting; its unit is the last word.'),
    value: z.number(),
    unit: z.string().describe('What the value counts: `seconds`, `minutes`, `hours`, `days` or `tries`.'),
    description: z.string(),
  }),
  {
    name: 'CHANGE_DAYS',
    value: 7,
    unit: 'days',
    description: 'days after which a change that no second administrator has decided expires',
  },
);

export const SettingList = named('SettingList', z.strictObject({ items: z.array(WaitingTime) }), {
  items: [
    {
      name: 'CHANGE_DAYS',
      value: 7,
      unit: 'days',
      description: 'days after which a change that no second administrator has decided expires',
    },
  ],
});
