/** Error messages and stacks are payloads too: encoded, they pass the encrypting codec like every other one. */
import { DefaultFailureConverter } from '@temporalio/common';

export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
