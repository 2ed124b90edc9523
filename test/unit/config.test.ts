/** A process starts with a usable configuration or says what is wrong with it. */
import { expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { ConfigError, loadConfig, loadStoredBank } from '../../config.ts';

const key = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`;
const production = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgresql://teller_app:x@127.0.0.1/teller',
  ENCRYPTION_KEYS: key('k1'),
  S3_SECRET_KEY: 'of our own',
};
const faultsOf = (env: NodeJS.ProcessEnv): string => {
  try {
    loadConfig(env);
    return '';
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
};

test('every wrong or missing variable is named at once', () => {
  const faults = faultsOf({ PORT: 'eighty', LOG_LEVEL: 'loud', SMTP_URL: 'nowhere' });
  for (const name of ['PORT', 'LOG_LEVEL', 'SMTP_URL', 'DATABASE_URL']) expect(faults).toContain(name);
});

test('a value is never repeated in the message: it may be a secret', () => {
  expect(faultsOf({ ...production, ENCRYPTION_KEYS: 'k1:hunter2' })).toMatch(/ENCRYPTION_KEYS/);
  expect(faultsOf({ ...production, ENCRYPTION_KEYS: 'k1:hunter2' })).not.toContain('hunter2');
});

test.each(['test', 'production'])('with NODE_ENV=%s no published secret is accepted', (NODE_ENV) => {
  const { ENCRYPTION_KEYS: _keys, S3_SECRET_KEY: _secret, ...bare } = production;
  const faults = faultsOf({ ...bare, NODE_ENV });
  expect(faults).toContain('ENCRYPTION_KEYS');
  expect(faults).toContain('S3_SECRET_KEY');
  const published = loadConfig({ DATABASE_URL: production.DATABASE_URL });
  expect(
    faultsOf({
      ...production,
      NODE_ENV,
      ENCRYPTION_KEYS: `${key('k1')},${published.ENCRYPTION_KEYS.join(',')}`,
    }),
  ).toContain('ENCRYPTION_KEYS');
  expect(faultsOf({ ...production, NODE_ENV, S3_SECRET_KEY: published.S3_SECRET_KEY })).toContain(
    'S3_SECRET_KEY',
  );
});

test('a complete configuration is taken, an empty variable counts as absent', () => {
  expect(loadConfig({ ...production, PORT: '', PUBLIC_URL: 'https://bank.example' })).toMatchObject({
    PORT: 3000,
    publicUrl: 'https://bank.example',
  });
});

test.each([
  ['BANK_CODE', { BANK_CODE: '123' }],
  ['BANK_CODE', { BANK_COUNTRY: 'GB' }],
  ['BANK_CODE', { BANK_COUNTRY: 'US' }],
  ['BANK_COUNTRY', { BANK_COUNTRY: 'Germany' }],
  ['BANK_BIC', { BANK_BIC: 'TELLER' }],
  ['BANK_TIME_ZONE', { BANK_TIME_ZONE: 'Europe/Atlantis' }],
  ['BANK_BASE_CURRENCY', { BANK_BASE_CURRENCY: 'EURO' }],
])('a bank that could open no account does not start: %s', (name, settings) => {
  expect(faultsOf({ ...production, ...settings })).toContain(name);
});

test.each([
  ['TEMPORAL_ADDRESS', { TEMPORAL_ADDRESS: 'http://127.0.0.1:7233' }],
  ['TEMPORAL_TLS_KEY', { TEMPORAL_TLS_CERT: 'client.pem' }],
  ['TEMPORAL_TLS_CERT', { TEMPORAL_TLS_KEY: 'client.key' }],
  ['TRUST_PROXY', { TRUST_PROXY: 'yes' }],
  ['TRUST_PROXY', { TRUST_PROXY: '9' }],
])('a setting that cannot be meant is named: %s', (name, settings) => {
  expect(faultsOf({ ...production, ...settings })).toContain(name);
});

test.each([
  ['true', 1],
  ['false', 0],
  ['3', 3],
])('TRUST_PROXY=%s trusts %i proxies', (TRUST_PROXY, hops) => {
  expect(loadConfig({ ...production, TRUST_PROXY }).TRUST_PROXY).toBe(hops);
});

test('what the database holds of the bank is checked where there are no other settings', () => {
  expect(loadStoredBank({ BANK_BASE_CURRENCY: 'CHF', BANK_CODE: '' })).toMatchObject({
    issuer: { country: 'DE' },
    baseCurrency: 'CHF',
    timeZone: 'Europe/Berlin',
    clockToleranceSeconds: 10,
  });
  expect(() => loadStoredBank({ CLOCK_TOLERANCE_SECONDS: '0' })).toThrow(/CLOCK_TOLERANCE_SECONDS/);
  expect(() => loadStoredBank({ BANK_BASE_CURRENCY: 'EURO' })).toThrow(ConfigError);
});
