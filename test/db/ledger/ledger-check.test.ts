/** The nightly proof of the books tells operators what it has found: by an alert, and by a metric for each check. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { noopMetricMeter, type MetricGauge, type MetricMeter } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { pino } from 'pino';
import { ledgerCheckActivities } from '../../../activities/ledger-check.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { putClockAhead } from '../../support/bank/clock.ts';
import { ownBank } from '../../support/stack/database.ts';

const FUTURE = 'no entry is in the future';

let books: Books;
beforeAll(async () => {
  books = openBooks(await ownBank());
});
afterAll(() => books.close());

/** Keeps the last value of each gauge by the check that it is of. */
function meterInto(values: Map<unknown, number>): MetricMeter {
  const gauge: MetricGauge = {
    name: 'teller_ledger_broken',
    kind: 'gauge',
    valueType: 'int',
    set: (value, tags) => values.set(tags?.['check'], value),
    withTags: () => gauge,
  };
  return {
    createCounter: (...counter) => noopMetricMeter.createCounter(...counter),
    createHistogram: (...histogram) => noopMetricMeter.createHistogram(...histogram),
    createGauge: (name) => (name === gauge.name ? gauge : noopMetricMeter.createGauge(name)),
    withTags: () => noopMetricMeter,
  };
}

async function check() {
  const [broken, lines] = [new Map<unknown, number>(), [] as string[]];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const { checkLedger } = ledgerCheckActivities({ em: books.em, log });
  const environment = new MockActivityEnvironment({}, { metricMeter: meterInto(broken) });
  const found: unknown = await environment.run(checkLedger);
  return { found, broken, alerts: lines.filter((line) => line.includes('"alert":"ledger_broken"')) };
}

test('an entry in the future is an alert and a number in the metrics until its time has come', async () => {
  await books.fund(await books.account(await books.user()), 100n);
  const sound = await check();
  expect(sound.found).toEqual({ sound: true, broken: [] });
  expect(sound.alerts).toEqual([]);
  expect(sound.broken.get(FUTURE)).toBe(0);

  await putClockAhead(books, -3_600);
  const unsound = await check();
  expect(unsound.found).toEqual({ sound: false, broken: [FUTURE] });
  expect(unsound.alerts).toHaveLength(1);
  expect(unsound.broken.get(FUTURE)).toBeGreaterThanOrEqual(2);
  expect(unsound.broken.get('every transaction sums to zero')).toBe(0);
  await putClockAhead(books, 0);
});
