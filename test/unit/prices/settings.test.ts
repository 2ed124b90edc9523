/** Which sources of prices the bank asks, and where the sandbox of them does not start. */
import { expect, test } from '@jest/globals';
import { ConfigError, loadConfig } from '../../../config.ts';
import { readSettings } from '../../../dev/prices/settings.ts';
import { sandboxSources } from '../../../dev/prices/sources.ts';
import { cryptoSettings } from '../../../crypto-settings.ts';

const read = (text: string) => cryptoSettings.PRICE_SOURCES.safeParse(text);

test('sources of prices are names with addresses', () => {
  expect(read('coinbase=https://api.exchange.coinbase.com/, okx=https://www.okx.com').data).toEqual([
    { name: 'coinbase', url: 'https://api.exchange.coinbase.com' },
    { name: 'okx', url: 'https://www.okx.com' },
  ]);
  expect(read(sandboxSources('http://127.0.0.1:7074')).data).toEqual([
    { name: 'coinbase', url: 'http://127.0.0.1:7074/coinbase' },
    { name: 'bitstamp', url: 'http://127.0.0.1:7074/bitstamp' },
    { name: 'okx', url: 'http://127.0.0.1:7074/okx' },
  ]);
});

test.each([
  'https://www.okx.com',
  'kraken=https://api.kraken.com',
  'okx=www.okx.com',
  'okx=',
  'okx=ftp://www.okx.com',
  'okx=https://www.okx.com,okx=https://my.okx.com',
  ',',
])('the sources %p are refused with the form that is expected', (text) => {
  expect(read(text).error?.issues.map(({ message }) => message)).toEqual([
    expect.stringContaining('coinbase=https://api.exchange.coinbase.com'),
  ]);
});

test('without settings there are no sources, and a price counts for half a minute', () => {
  const config = loadConfig({ DATABASE_URL: 'postgresql://teller_app:x@127.0.0.1/teller' });
  expect(config.PRICE_SOURCES).toBeUndefined();
  expect(config).toMatchObject({ PRICE_POLL_SECONDS: 5, PRICE_MAX_AGE_SECONDS: 30 });
});

test('a wrong source is named when a process starts', () => {
  const env = { DATABASE_URL: 'postgresql://teller_app:x@127.0.0.1/teller', PRICE_SOURCES: 'okx' };
  expect(() => loadConfig(env)).toThrow(ConfigError);
  expect(() => loadConfig(env)).toThrow(/PRICE_SOURCES: must be names and addresses such as coinbase=/);
});

test('the sandbox of price sources does not start in production', () => {
  expect(readSettings({ PRICES_PORT: '' })).toMatchObject({ PRICES_PORT: 7074 });
  expect(() => readSettings({ NODE_ENV: 'production' })).toThrow('not for production');
});
