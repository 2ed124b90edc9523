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
