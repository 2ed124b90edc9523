/** Reads encrypted payloads for operators who may: the codec endpoint of the Temporal Web UI. */
import type { Payload } from '@temporalio/common';
import type { Cipher } from '../../../adapters/cipher.ts';
import { openPayload } from '../../../adapters/codec.ts';
import { record } from '../../../db/queries/platform/audit.ts';
import { forAdmins } from '../../declaration/operation.ts';
import * as wire from './schemas.ts';

export const decodePayloads = forAdmins({
  id: 'decodePayloads',
  area: 'Admin processes',
  title: 'Decrypt payloads of process histories',
  description:
    'Decrypts payloads of process histories by Temporal’s remote codec protocol: set the Web UI’s codec endpoint to `/v1/admin/codec`. Each call is written to the audit log.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/admin/codec/decode',
  effect: 'transaction',
  permission: 'processes:read',
  body: wire.CodecPayloads,
  bodyLimit: 4 * 1024 * 1024,
  status: 200,
  answer: wire.CodecPayloads,
  refuses: [],
  beyond: true,
  async handle({ actor, body, db, refusal }, { cipher }) {
    const sealed = body.payloads.map(({ metadata, data }) => ({
      metadata: Object.fromEntries(
        Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value, 'base64')]),
      ),
      data: Buffer.from(data ?? '', 'base64'),
    }));
    const opened = openAll(sealed, cipher);
    if (opened === undefined)
      throw refusal('invalid_request', { detail: 'a payload was not sealed by this service' });
    await record(db, actor, {
      action: 'payloads.decrypted',
      subject: ['payloads', String(opened.length)],
    });
    return {
      payloads: opened.map(({ metadata, data }) => ({
        metadata: asBase64(metadata ?? {}),
        data: Buffer.from(data ?? []).toString('base64'),
      })),
    };
  },
});

/** Undefined if one of them does not open. Why is not said: whoever tries learns nothing of keys and ids. */
function openAll(payloads: readonly Payload[], cipher: Cipher): Payload[] | undefined {
  try {
    return payloads.map((payload) => openPayload(payload, cipher));
  } catch {
    return undefined;
  }
}

function asBase64(metadata: Record<string, Uint8Array>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
  );
}

/** In the order of the documentation. */
export const operations = [decodePayloads];
