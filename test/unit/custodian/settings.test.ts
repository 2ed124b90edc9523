/** Where the sandbox custodian starts, and where it does not. */
import { expect, test } from '@jest/globals';
import { readSettings } from '../../../dev/custodian/settings.ts';

test('the sandbox custodian sends nothing unless it is given a door, and does not start in production', () => {
  const settings = readSettings({ CUSTODIAN_PORT: '17072', CUSTODIAN_WEBHOOK_URL: '' });
  expect(settings).toMatchObject({ CUSTODIAN_PORT: 17072, CUSTODIAN_CONTROL_PORT: 7073 });
  expect(settings.CUSTODIAN_WEBHOOK_URL).toBeUndefined();
  expect(() => readSettings({ NODE_ENV: 'production' })).toThrow('not for production');
  expect(() => readSettings({ CUSTODIAN_WEBHOOK_URL: 'ftp://door' })).toThrow();
});
