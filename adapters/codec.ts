/** Encrypts every Temporal payload, so that histories hold no readable data. */
import type { Payload, PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import type { Cipher } from './cipher.ts';

const ENCODING = 'binary/encrypted';
const CONTEXT = 'temporal-payload';

/** AES-256-GCM over the whole payload (metadata included); the key's id stays readable in the metadata for operators. */
export function encryptingCodec(cipher: Cipher): PayloadCodec {
  return {
    encode: (payloads) => Promise.resolve(payloads.map((payload) => seal(payload, cipher))),
    decode: async (payloads) => payloads.map((payload) => open(payload, cipher)),
  };
}

function seal(payload: Payload, cipher: Cipher): Payload {
  const plain = proto.temporal.api.common.v1.Payload.encode(payload).finish();
  return {
    metadata: { encoding: Buffer.from(ENCODING), 'encryption-key-id': Buffer.from(cipher.keyId) },
    data: cipher.seal(plain, CONTEXT),
  };
}

/** A payload that this codec did not seal passes as it is (search attributes, headers of other tools). */
function open(payload: Payload, cipher: Cipher): Payload {
  const encoding = payload.metadata?.['encoding'];
  if (!encoding || Buffer.from(encoding).toString() !== ENCODING || !payload.data) return payload;
  return proto.temporal.api.common.v1.Payload.decode(cipher.open(payload.data, CONTEXT));
}
