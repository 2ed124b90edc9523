/** Reads encrypted payloads for operators who may: the codec endpoint of the Temporal Web UI, and the cookie it is called with. */
import type { Payload } from '@temporalio/common';
import type { Cipher } from '../../../adapters/cipher.ts';
import { isSealed, openPayload, sealedFor } from '../../../adapters/codec.ts';
import type { Config } from '../../../config.ts';
import { endSession, noteReading } from '../../../db/queries/identity/sessions/sessions.ts';
import { record } from '../../../db/queries/platform/audit.ts';
import { noteEvent } from '../../../services/identity/events.ts';
import { forAdmins } from '../../declaration/operation.ts';
import * as wire from './schemas.ts';

const PATH = '/v1/admin/codec/session';

export const decodePayloads = forAdmins({
  id: 'decodePayloads',
  area: 'Admin processes',
  title: 'Decrypt payloads of process histories',
  description:
    'Decrypts payloads of process histories by Temporal’s remote codec protocol: set the Web UI’s codec endpoint to `/v1/admin/codec`. Takes the cookie of the page `/operators/sign-in` in the place of a token, from the Web UI’s own address only. Each call is written to the audit log, with the processes that it read.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/admin/codec/decode',
  effect: 'transaction',
  permission: 'processes:read',
  cookie: 'taken',
  query: wire.CodecQuery,
  body: wire.CodecPayloads,
  bodyLimit: 4 * 1024 * 1024,
  status: 200,
  answer: wire.CodecPayloads,
  refuses: [],
  beyond: true,
  async handle({ actor, caller, body, db, refusal }, { cipher, config }) {
    const sealed = body.payloads.map(({ metadata, data }) => ({
      metadata: Object.fromEntries(
        Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value, 'base64')]),
      ),
      data: Buffer.from(data ?? '', 'base64'),
    }));
    const opened = openAll(sealed, cipher);
    if (opened === undefined)
      throw refusal('invalid_request', { detail: 'a payload was not sealed by this service' });
    await noteReading.run(db, { id: caller.sessionId, idleSeconds: idleSecondsOf(config) });
    await record(db, actor, {
      action: 'payloads.decrypted',
      subject: ['payloads', String(opened.length)],
      after: {
        processes: [...new Set(sealed.filter(isSealed).flatMap((payload) => sealedFor(payload) ?? []))],
      },
    });
    return {
      payloads: opened.map(({ metadata, data }) => ({
        metadata: asBase64(metadata ?? {}),
        data: Buffer.from(data ?? []).toString('base64'),
      })),
    };
  },
});

export const startReading = forAdmins({
  id: 'startReading',
  area: 'Admin processes',
  title: 'Begin to read process histories',
  description:
    'Sets the cookie with which the Temporal Web UI may decrypt on behalf of the caller. The page `/operators/sign-in` calls it after a login. The cookie opens nothing else, ends with the session of the call, and dies after `idle_seconds` without use.',
  method: 'POST',
  idempotency: 'none',
  path: PATH,
  effect: 'transaction',
  permission: 'processes:read',
  cookie: 'begins',
  status: 201,
  answer: wire.ReadingSession,
  refuses: [],
  beyond: true,
  async handle({ actor, caller, db }, { config }) {
    const idleSeconds = idleSecondsOf(config);
    await noteReading.run(db, { id: caller.sessionId, idleSeconds });
    await record(db, actor, { action: 'reading.begun', subject: ['session', caller.sessionId] });
    return { idle_seconds: idleSeconds };
  },
});

export const stopReading = forAdmins({
  id: 'stopReading',
  area: 'Admin processes',
  title: 'End reading process histories',
  description: 'Takes the cookie back, and ends the session that it names.',
  method: 'DELETE',
  path: PATH,
  effect: 'transaction',
  permission: 'processes:read',
  cookie: 'ends',
  status: 204,
  answer: null,
  refuses: [],
  beyond: true,
  async handle(call, { sessions }) {
    const { caller, db } = call;
    sessions.forget(caller.sessionId);
    if ((await endSession.run(db, { id: caller.sessionId, reason: 'logout' })) > 0)
      await noteEvent(call, 'session.ended', caller, { after: { session: caller.sessionId } });
    return null;
  },
});

function idleSecondsOf({
  SESSION_IDLE_ADMIN_MINUTES: minutes,
}: Pick<Config, 'SESSION_IDLE_ADMIN_MINUTES'>): number {
  return minutes * 60;
}

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
export const operations = [decodePayloads, startReading, stopReading];
