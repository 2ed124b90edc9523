/**
 * Seals every Temporal payload for the process that it belongs to. Histories hold no readable data, and whoever reaches Temporal
 * without the keys can neither make a payload nor copy one from another process.
 */
import type { Payload, PayloadCodec, SerializationContext } from '@temporalio/common';
import proto from '@temporalio/proto';
import { refusedPayload, type PayloadRefusal } from '../domain/seals.ts';
import type { Cipher } from './cipher.ts';

const ENCODING = 'binary/encrypted';
/** In clear, so that operators see whose it is and the codec endpoint can open it. Changed, the payload does not open. */
const SEALED_FOR = 'sealed-for';
/** A schedule's runs have its id and the time of their start: what the schedule seals must open in each of them. */
const TIME_OF_RUN = /-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** AES-256-GCM over the whole payload (metadata included), with the workflow's id as additional data. */
export function encryptingCodec(cipher: Cipher): PayloadCodec {
  return {
    encode: async (payloads, context) =>
      payloads.map((payload) => seal(payload, cipher, boundId(context?.workflowId))),
    decode: async (payloads, context) => payloads.map((payload) => openFor(context, payload, cipher)),
  };
}

/** For readers of histories: opens a sealed payload of any process by its metadata; a plain one passes. Throws if it was changed. */
export function openPayload(payload: Payload, cipher: Cipher): Payload {
  if (!isSealed(payload)) return payload;
  const plain = cipher.open(payload.data ?? new Uint8Array(), contextOf(sealedFor(payload)));
  return proto.temporal.api.common.v1.Payload.decode(plain);
}

/** The workflow id that a payload was sealed for; undefined if for none. */
export function sealedFor({ metadata }: Payload): string | undefined {
  const id = metadata?.[SEALED_FOR];
  return id ? Buffer.from(id).toString() : undefined;
}

function seal(payload: Payload, cipher: Cipher, id: string | undefined): Payload {
  const plain = proto.temporal.api.common.v1.Payload.encode(payload).finish();
  return {
    metadata: {
      encoding: Buffer.from(ENCODING),
      'encryption-key-id': Buffer.from(cipher.keyId),
      ...(id === undefined ? {} : { [SEALED_FOR]: Buffer.from(id) }),
    },
    data: cipher.seal(plain, contextOf(id)),
  };
}

/** The payload as it was, or the mark of a refused one. */
function openFor(context: SerializationContext | undefined, payload: Payload, cipher: Cipher): Payload {
  if (!isSealed(payload)) return marked('plain');
  const id = sealedFor(payload);
  if (id === undefined && context !== undefined) return marked('unbound');
  if (id !== boundId(context?.workflowId)) return marked('foreign');
  try {
    return openPayload(payload, cipher);
  } catch {
    return marked('broken');
  }
}

/** Whether a payload was sealed, by whomever. */
export function isSealed({ metadata }: Payload): boolean {
  const encoding = metadata?.['encoding'];
  return encoding ? Buffer.from(encoding).toString() === ENCODING : false;
}

function boundId(workflowId: string | undefined): string | undefined {
  return workflowId?.replace(TIME_OF_RUN, '') || undefined;
}

/** The additional data of the cipher. No id looks like the word for none. */
function contextOf(id: string | undefined): string {
  return id === undefined ? 'temporal-payload' : `temporal-payload/${id}`;
}

function marked(reason: PayloadRefusal): Payload {
  return {
    metadata: { encoding: Buffer.from('json/plain') },
    data: Buffer.from(JSON.stringify(refusedPayload(reason))),
  };
}
