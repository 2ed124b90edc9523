/** A process starts with a usable configuration or says what is wrong with it. */
import { expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { ConfigError, loadConfig, loadOwnerUrl, loadStoredBank } from '../../config.ts';

const key = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`;
const production = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgresql://teller_app:x@127.0.0.1/teller',
  ENCRYPTION_KEYS: key('k1'),
  CARD_KEYS: key('c1'),
  S3_SECRET_KEY: 'of our own',
};
const custody = {
  CUSTODIAN_URL: 'https://api.fireblocks.io/v1',
  CUSTODIAN_API_KEY: 'user',
  CUSTODIAN_SECRET_FILE: 'key.pem',
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
  const { ENCRYPTION_KEYS: _keys, CARD_KEYS: _cards, S3_SECRET_KEY: _secret, ...bare } = production;
  const faults = faultsOf({ ...bare, NODE_ENV });
  expect(faults).toContain('ENCRYPTION_KEYS');
  expect(faults).toContain('CARD_KEYS');
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

test('production leads to no simulator', () => {
  expect(faultsOf({ ...production, RAIL_PORT: '7075' })).toMatch(/RAIL_PORT: is for development/);
  expect(faultsOf({ ...production, ...custody, CUSTODIAN_URL: 'http://127.0.0.1:7072/v1' })).toMatch(
    /CUSTODIAN_URL: must begin with https:/,
  );
  expect(faultsOf({ ...production, CUSTODIAN_JWKS_URL: 'http://127.0.0.1:7072/jwks' })).toMatch(
    /CUSTODIAN_JWKS_URL: must begin with https:/,
  );
  expect(faultsOf({ ...production, PRICES_PORT: '7074' })).toMatch(/PRICES_PORT: is for development/);
  expect(faultsOf({ ...production, PRICE_SOURCES: 'okx=http://127.0.0.1:7074/okx' })).toMatch(
    /PRICE_SOURCES: each address must begin with https:/,
  );
  expect(faultsOf({ ...production, PRICE_SOURCES: 'okx=https://www.okx.com' })).toBe('');
  expect(faultsOf({ ...production, NODE_ENV: 'test', RAIL_PORT: '7075' })).toBe('');
});

test('outside production the key of the custodian may be written later', () => {
  expect(faultsOf({ ...production, ...custody, NODE_ENV: 'test' })).toBe('');
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
  ['MAIL_DKIM_KEY', { MAIL_DKIM_SELECTOR: 'teller' }],
  ['TWILIO_TOKEN', { TWILIO_ACCOUNT: 'AC1', TWILIO_FROM: '+4930123456' }],
  ['TWILIO_FROM', { TWILIO_ACCOUNT: 'AC1', TWILIO_TOKEN: 'secret' }],
  ['MAIL_DKIM_SELECTOR', { MAIL_DKIM_KEY: 'dkim.pem' }],
  ['MAIL_DKIM_KEY', { MAIL_DKIM_SELECTOR: 'teller', MAIL_DKIM_KEY: '/no/such/file.pem' }],
  ['TEMPORAL_TLS_CA', { TEMPORAL_TLS_CA: '/no/such/file.pem' }],
  ['CUSTODIAN_URL', { CUSTODIAN_URL: 'api.fireblocks.io/v1' }],
  ['CUSTODIAN_JWKS_URL', { CUSTODIAN_JWKS_URL: 'keys.fireblocks.io' }],
  ['CUSTODIAN_API_KEY', { ...custody, CUSTODIAN_API_KEY: '' }],
  ['CUSTODIAN_SECRET_FILE', { ...custody, CUSTODIAN_SECRET_FILE: '' }],
  ['CUSTODIAN_SECRET_FILE', { ...custody, CUSTODIAN_SECRET_FILE: '/no/such/file.pem' }],
  ['DATABASE_URL', { DATABASE_URL: 'mysql://x/y' }],
  ['DATABASE_OWNER_URL', { DATABASE_OWNER_URL: 'https://bank.example' }],
  ['S3_ENDPOINT', { S3_ENDPOINT: 's3://bucket' }],
  ['SMTP_URL', { SMTP_URL: 'https://mail.example' }],
  ['ENCRYPTION_KEYS', { ENCRYPTION_KEYS: `${key('k1')},${key('k1')}` }],
  ['CORS_ORIGINS', { CORS_ORIGINS: 'https://a.example/,https://b.example' }],
  ['CORS_ORIGINS', { CORS_ORIGINS: 'https://a.example,b' }],
  ['SESSION_IDLE_CUSTOMER_DAYS', { SESSION_IDLE_CUSTOMER_DAYS: '80', SESSION_MAX_CUSTOMER_DAYS: '10' }],
  ['SESSION_IDLE_ADMIN_MINUTES', { SESSION_IDLE_ADMIN_MINUTES: '90', SESSION_MAX_ADMIN_HOURS: '1' }],
  ['TRUST_PROXY', { TRUST_PROXY: 'yes' }],
  ['TRUST_PROXY', { TRUST_PROXY: '9' }],
])('a setting that cannot be meant is named: %s', (name, settings) => {
  expect(faultsOf({ ...production, ...settings })).toContain(name);
});

test.each([
  [
    { DATABASE_URL: '' },
    'DATABASE_URL: is missing; set it (PostgreSQL as the application role, which owns nothing)',
  ],
  [{ PORT: 'eighty' }, 'PORT: must be a number (port of the API)'],
  [{ PORT: '99999' }, 'PORT: must be at most 65535 (port of the API)'],
  [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL: must be one of fatal, error, warn, info, debug, trace, silent'],
  [
    { DATABASE_URL: 'mysql://x/y' },
    'DATABASE_URL: must be an address such as postgresql://user:password@host:5432/database',
  ],
  [{ CORS_ORIGINS: 'b' }, 'CORS_ORIGINS: must be origins such as https://app.bank.example, without a path'],
  [{ ENCRYPTION_KEYS: `${key('k1')},${key('k1')}` }, 'ENCRYPTION_KEYS: must name each id once'],
  [{ SESSION_IDLE_CUSTOMER_DAYS: '90', SESSION_MAX_CUSTOMER_DAYS: '9' }, 'make it shorter'],
])('the fault of %j says what to do', (settings, said) => {
  expect(faultsOf({ ...production, ...settings })).toContain(said);
});

test.each([
  ['DATABSE_URL', 'DATABASE_URL was probably meant'],
  ['SESSION_IDLE_CUSTOMER_DAY', 'SESSION_IDLE_CUSTOMER_DAYS was probably meant'],
  ['SESSION_IDLE_DAYS', 'remove it, or correct its name'],
  ['METRIC_PORT', 'METRICS_PORT was probably meant'],
  ['LOGLEVEL', 'LOG_LEVEL was probably meant'],
  ['BANK_CURRENCY', 'remove it, or correct its name'],
])('a variable that was meant for us and is unknown is refused: %s', (name, cure) => {
  for (const load of [loadConfig, loadStoredBank, loadOwnerUrl])
    expect(() => load({ ...production, [name]: 'hunter2' })).toThrow(`${name}: is not a setting; ${cure}`);
  expect(faultsOf({ ...production, [name]: 'hunter2' })).not.toContain('hunter2');
});

test('variables of others are none of our business', () => {
  const others = {
    ...{
      PATH: '/bin',
      HOME: '/root',
      HOSTNAME: 'api-1',
      LANG: 'C',
      NODE_OPTIONS: '',
      NODE_EXTRA_CA_CERTS: 'ca.pem',
    },
    ...{ OTEL_SERVICE_NAME: 'x', AWS_REGION: 'eu-central-1', PGUSER: 'x', npm_config_cache: 'x' },
    // Kubernetes, for services of the names temporal and s3
    ...{
      TEMPORAL_SERVICE_HOST: '10.0.0.1',
      TEMPORAL_PORT: 'tcp://10.0.0.1:7233',
      S3_SERVICE_PORT_HTTP: '80',
    },
    ...{ TEMPORAL_PORT_7233_TCP_ADDR: '10.0.0.1', RAIL_SANDBOX: 'false', RAIL_SANDBOX_SETTLE_SECONDS: '1' },
    // a desktop, a collector that wants a token, Temporal's command, a service of the name metrics
    ...{ SESSION_MANAGER: 'local/x', OTEL_EXPORTER_OTLP_HEADERS: 'a=b', DATABASE_NAME: '/api/database' },
    ...{ TEMPORAL_TLS_CLIENT_CERT_PATH: 'c.pem', METRICS_PORT: 'tcp://10.0.0.1:9090' },
  };
  expect(faultsOf({ ...production, ...others })).toBe('');
});

test('commands of the owner need no more than its address', () => {
  const DATABASE_OWNER_URL = 'postgresql://teller_owner:x@127.0.0.1/teller';
  expect(loadOwnerUrl({ NODE_ENV: 'production', DATABASE_OWNER_URL })).toBe(DATABASE_OWNER_URL);
  expect(() => loadOwnerUrl({ NODE_ENV: 'production' })).toThrow(/DATABASE_OWNER_URL: is missing; set it/);
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
