/** docker-compose.yml passes on every setting, and makes metrics, readiness and alerts reachable. */
import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../../dev/service/process.ts';
import { environment } from '../../../environment.ts';
import { environmentOf, textOf } from '../../support/compose.ts';

const [api, worker, migrate] = ['api', 'worker', 'migrate'].map(environmentOf);
const alerts = readFileSync(join(ROOT, 'docs/alerts.yml'), 'utf8');

test('every setting of the service can be set in .env', () => {
  const passed = new Set([api, worker, migrate].flatMap((env) => Object.keys(env ?? {})));
  // the image has its own
  passed.add('WORKFLOW_BUNDLE');
  // production refuses it
  passed.add('RAIL_PORT').add('CARD_NETWORK_PORT').add('CUSTODIAN_CONTROL_PORT').add('PRICES_PORT');
  expect(Object.keys(environment.shape).filter((name) => !passed.has(name))).toEqual([]);
});

test('no service is given what is not a setting', () => {
  const given = [api, worker, migrate].flatMap((env) => Object.keys(env ?? {}));
  expect(given.filter((name) => !(name in environment.shape))).toEqual([]);
});

test('Prometheus collects the ports on which API and workers show their metrics', () => {
  const config = textOf('prometheus', 'configs');
  const port = (name: string): string =>
    new RegExp(`names: \\[${name}\\], type: A, port: (\\d+)`).exec(config)?.[1] ?? '';
  expect(port('api')).toBe(api?.['API_METRICS_PORT']);
  const ofWorker = [...config.matchAll(/names: \[worker\], type: A, port: (\d+)/g)].map(([, found]) => found);
  expect(ofWorker.toSorted()).toEqual([worker?.['METRICS_PORT'], worker?.['WORKER_STATUS_PORT']].toSorted());
  expect(config).toContain('rule_files: [/etc/prometheus/alerts.yml]');
  expect(textOf('alerts', 'configs')).toContain('file: docs/alerts.yml');
  expect(textOf('prometheus')).toContain('{ source: alerts, target: /etc/prometheus/alerts.yml }');
});

test('the metrics of the API stay inside', () => {
  expect(textOf('gateway', 'configs')).toMatch(/location = \/metrics \{\s+return 404;/);
  for (const service of ['api', 'worker']) expect(textOf(service)).not.toContain('ports:');
});

test('a worker counts as healthy once it says that it is ready', () => {
  expect(textOf('worker')).toContain(
    `fetch('http://127.0.0.1:${String(worker?.['WORKER_STATUS_PORT'])}/ready')`,
  );
});

test('every alert says how bad it is and what it means', () => {
  const rules = alerts.split('- alert: ').slice(1);
  expect(rules.length).toBeGreaterThan(15);
  for (const rule of rules) {
    const [name = ''] = rule.split('\n');
    const isWhole =
      /^ +expr: \S/m.test(rule) &&
      /severity: (critical|warning|info)/.test(rule) &&
      /annotations:\n +summary: '[^']{10,}'/.test(rule);
    expect({ name, isWhole }).toEqual({ name, isWhole: true });
  }
});
