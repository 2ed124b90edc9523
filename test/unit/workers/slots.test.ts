/** The slots of the task queues: no process runs more activities than its pool has connections, and no queue goes without. */
import { describe, expect, test } from '@jest/globals';
import { loadConfig } from '../../../config.ts';
import { queueBeside, queueName, queues, type Queue } from '../../../domain/queues.ts';
import { slotsOf, withinTasks } from '../../../workers/slots.ts';

const SUBSETS: readonly (readonly Queue[])[] = [
  queues,
  ['money'],
  ['outside'],
  ['housekeeping'],
  ['money', 'outside'],
  ['outside', 'housekeeping'],
];

test('the usual pool of 16 gives money six slots, and outside and housekeeping three each', () => {
  expect(Object.fromEntries(slotsOf(queues, 16))).toEqual({ money: 6, outside: 3, housekeeping: 3 });
});

test.each(SUBSETS.map((mine) => [mine.join(','), mine] as const))(
  'a process that serves %s has a slot for each queue, and from a pool of eight on fewer slots than connections',
  (_name, mine) => {
    for (let pool = 2; pool <= 200; pool++) {
      const slots = slotsOf(mine, pool);
      expect([...slots.keys()]).toEqual(mine);
      expect(Math.min(...slots.values())).toBeGreaterThanOrEqual(1);
      const sum = [...slots.values()].reduce((total, most) => total + most, 0);
      if (pool >= 8) expect(sum).toBeLessThanOrEqual(pool - 2);
    }
  },
);

test('what runs within workflow tasks and what runs apart share the slots of money, and neither goes without', () => {
  expect(withinTasks(6)).toEqual({ within: 3, apart: 3 });
  expect(withinTasks(1)).toEqual({ within: 1, apart: 1 });
  for (let slots = 2; slots <= 200; slots++) {
    const { within, apart } = withinTasks(slots);
    expect(within + apart).toBe(slots);
    expect(Math.min(within, apart)).toBeGreaterThanOrEqual(1);
  }
});

test('the queue beside that of the workflows keeps the prefix, whatever it ends with', () => {
  expect(queueBeside(queueName('bank-money', 'money'), 'outside')).toBe('bank-money-outside');
  expect(queueBeside('teller-money', 'housekeeping')).toBe('teller-housekeeping');
});

describe('WORKER_QUEUES', () => {
  const load = (value?: string) =>
    loadConfig({ DATABASE_URL: 'postgresql://a@b/c', WORKER_QUEUES: value }).WORKER_QUEUES;

  test('is all three unless it names some', () => {
    expect(load()).toEqual(queues);
    expect(load('')).toEqual(queues);
    expect(load('money, outside')).toEqual(['money', 'outside']);
  });

  test.each(['mony', 'money,money', ','])('is refused by its name if it is unusable: %s', (value) => {
    expect(() => load(value)).toThrow(/WORKER_QUEUES/);
  });
});
