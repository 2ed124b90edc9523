import { z } from 'zod';
import { named } from '../../wire/naming.ts';

/** Temporal's JSON form of a payload: bytes in base64. Other members pass through, as newer servers add some. */
const Payload = z.looseObject({
  metadata: z.record(z.string(), z.base64()).optional(),
  data: z.base64().optional(),
});

export const CodecPayloads = named(
  'CodecPayloads',
  z.looseObject({ payloads: z.array(Payload).max(1_000) }),
  { payloads: [{ metadata: { encoding: 'anNvbi9wbGFpbg==' }, data: 'Im9rIg==' }] },
);

/** What the Web UI adds to the address; later versions may add more, so nothing is refused. */
export const CodecQuery = z.looseObject({
  preserveStorageRefs: z
    .string()
    .optional()
    .describe('Sent by the Web UI, and without effect: this service keeps no payloads outside of histories.'),
});

export const ReadingSession = named(
  'ReadingSession',
  z.strictObject({
    idle_seconds: z.int().describe('The cookie dies after so many seconds without use.'),
  }),
  { idle_seconds: 900 },
);
