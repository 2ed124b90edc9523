/** What operators can search for in the Temporal Web UI. */
import { defineSearchAttributeKey } from '@temporalio/common';

/** Kind of process, its present status, and the opaque id of its customer: all that the Web UI can search, so nothing personal. */
export const searchAttributes = {
  process: defineSearchAttributeKey('TellerProcess', 'KEYWORD'),
  status: defineSearchAttributeKey('TellerStatus', 'KEYWORD'),
  customer: defineSearchAttributeKey('TellerCustomerId', 'KEYWORD'),
} as const;
