/** What an entry of X-Forwarded-For is taken for. */
import { expect, test } from '@jest/globals';
import { addressIn } from '../../../api/pipeline/http/client-address.ts';

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['192.0.2.1:5678', '192.0.2.1'],
  ['2001:DB8::1', '2001:db8::1'],
  ['[2001:db8::1]:5678', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.1'],
])('%s is the address %s', (entry, address) => {
  expect(addressIn(entry)).toBe(address);
});

test.each([
  'evil',
  '999.1.1.1',
  '192.0.2.1:',
  '192.0.2',
  '9'.repeat(500),
  '',
  'unknown',
  '_hidden',
  '[192.0.2.1]:1',
])('%s is none', (entry) => {
  expect(addressIn(entry)).toBeUndefined();
});
