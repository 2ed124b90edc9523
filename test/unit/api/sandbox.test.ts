/** What development has beside the service is nowhere else. */
import { expect, test } from '@jest/globals';
import { operations, operationsOf } from '../../../api/operations.ts';
import { loadConfig, waitingTimes } from '../../../config.ts';
import { environment } from '../../../environment.ts';

const isSandbox = ({ path }: { readonly path: string }): boolean => path.startsWith('/v1/sandbox');

test('only development declares the paths of the sandbox', () => {
  expect(operations.filter(isSandbox)).toEqual([]);
  expect(operationsOf({ NODE_ENV: 'test' })).toBe(operations);
  expect(operationsOf({ NODE_ENV: 'production' })).toBe(operations);
  expect(
    operationsOf({ NODE_ENV: 'development' })
      .filter(isSandbox)
      .map(({ id }) => id),
  ).toEqual(['readSandboxClock', 'moveSandboxClock', 'askSandboxWhen', 'makeSandboxEvent']);
});

test('every setting that ends with a unit is a waiting time, with its meaning', () => {
  const config = loadConfig({ DATABASE_URL: 'postgres://a@localhost/a' });
  const listed = waitingTimes(config);
  // those are hours of the week, and nobody waits for them
  const wanted = Object.keys(environment.shape).filter(
    (name) => /_(SECONDS|MINUTES|HOURS|DAYS|TRIES)$/.test(name) && name !== 'BUSINESS_HOURS',
  );
  expect(listed.map(({ name }) => name)).toEqual(wanted.toSorted());
  expect(listed.find(({ name }) => name === 'CHANGE_DAYS')).toEqual({
    name: 'CHANGE_DAYS',
    value: 7,
    unit: 'days',
    description: 'days after which a change that no second administrator has decided expires',
  });
});
