/** Which way a message moves a ticket. */
import { expect, test } from '@jest/globals';
import { statusAfterMessage } from '../../../domain/tickets/tickets.ts';

test.each([
  ['open', 'customer', 'open'],
  ['open', 'support', 'waiting_for_customer'],
  ['waiting_for_customer', 'customer', 'waiting_for_support'],
  ['waiting_for_customer', 'support', 'waiting_for_customer'],
  ['waiting_for_support', 'customer', 'waiting_for_support'],
  ['waiting_for_support', 'support', 'waiting_for_customer'],
] as const)('%s, then the %s writes: %s', (status, side, after) => {
  expect(statusAfterMessage(status, side)).toBe(after);
});
