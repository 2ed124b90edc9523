/** The codec of payloads: what opens for whom, and that nothing makes it throw. */
import { expect, test } from '@jest/globals';
import { defaultPayloadConverter, type Payload, type SerializationContext } from '@temporalio/common';
import { createCipher } from '../../../adapters/cipher.ts';
import { encryptingCodec, openPayload, sealedFor } from '../../../adapters/codec.ts';
import {
  areSealed,
  argumentsOf,
  isRefusedPayload,
  namedUpdate,
  refusedPayload,
} from '../../../domain/seals.ts';

const key = (name: string): string => `${name}:${Buffer.alloc(32, name).toString('base64')}`;
const cipher = createCipher([key('now'), key('before')]);
const codec = encryptingCodec(cipher);

const inProcess = (workflowId: string): SerializationContext => ({
  type: 'workflow',
  namespace: 'default',
  workflowId,
});
const inActivity = (workflowId?: string): SerializationContext => ({
  type: 'activity',
  namespace: 'default',
  isLocal: false,
  ...(workflowId === undefined ? {} : { workflowId }),
});

async function sealed(value: unknown, context?: SerializationContext, by = codec): Promise<Payload> {
  const [payload] = await by.encode([defaultPayloadConverter.toPayload(value)], context);
  if (payload === undefined) throw new Error('nothing was sealed');
  return payload;
}
async function opened(payload: Payload, context?: SerializationContext): Promise<unknown> {
  const [plain] = await codec.decode([payload], context);
  return plain && defaultPayloadConverter.fromPayload(plain);
}

test('a payload opens for its own process, in its activities too, and for no other one', async () => {
  const payload = await sealed({ kind: 'execute' }, inProcess('transfer/1'));
  expect(sealedFor(payload)).toBe('transfer/1');
  expect(await opened(payload, inProcess('transfer/1'))).toEqual({ kind: 'execute' });
  expect(await opened(payload, inActivity('transfer/1'))).toEqual({ kind: 'execute' });
  for (const other of [inProcess('transfer/2'), inProcess('transfer/1/'), inActivity('transfer/2')])
    expect(await opened(payload, other)).toEqual(refusedPayload('foreign'));
  for (const nobody of [undefined, inActivity()])
    expect(await opened(payload, nobody)).toEqual(refusedPayload('foreign'));
});

test('what a schedule seals opens in each of its runs, and in no process whose id only begins alike', async () => {
  const payload = await sealed(null, inProcess('account-fees'));
  expect(await opened(payload, inProcess('account-fees-2026-11-22T02:10:00Z'))).toBeNull();
  expect(await opened(payload, inProcess('account-fees-other'))).toEqual(refusedPayload('foreign'));
  const result = await sealed('done', inProcess('account-fees-2026-11-22T02:10:00Z'));
  expect(await opened(result, inProcess('account-fees-2026-11-23T02:10:00Z'))).toBe('done');
});

test('a payload that was sealed for no process is no input of any', async () => {
  const payload = await sealed('memo');
  expect(sealedFor(payload)).toBeUndefined();
  expect(await opened(payload)).toBe('memo');
  expect(await opened(payload, inProcess('transfer/1'))).toEqual(refusedPayload('unbound'));
  expect(await opened(payload, inActivity())).toEqual(refusedPayload('unbound'));
});

test('a plain payload is refused', async () => {
  const plain = defaultPayloadConverter.toPayload({ kind: 'execute' });
  expect(await opened(plain, inProcess('transfer/1'))).toEqual(refusedPayload('plain'));
  expect(await opened({}, inProcess('transfer/1'))).toEqual(refusedPayload('plain'));
  expect(openPayload(plain, cipher)).toBe(plain);
});

test('a changed name, a changed byte, a missing one or an unknown key is refused and does not throw', async () => {
  const context = inProcess('transfer/1');
  const payload = await sealed({ kind: 'execute' }, inProcess('transfer/2'));
  const { metadata } = payload;
  const bytes = Buffer.from(payload.data ?? []);
  const renamed = { ...payload, metadata: { ...metadata, 'sealed-for': Buffer.from('transfer/1') } };
  expect(await opened(renamed, context)).toEqual(refusedPayload('broken'));
  expect(() => openPayload(renamed, cipher)).toThrow();

  const own = await sealed({ kind: 'execute' }, context);
  const changed = Buffer.from(own.data ?? []);
  changed.writeUInt8(changed.readUInt8(changed.length - 1) ^ 1, changed.length - 1);
  const unknown = await sealed(1, context, encryptingCodec(createCipher([key('theirs')])));
  for (const data of [changed, bytes.subarray(0, 5), Buffer.of(), null, unknown.data ?? null])
    expect(await opened({ ...own, data }, context)).toEqual(refusedPayload('broken'));
});

test('a payload under an older key of the ring still opens', async () => {
  const older = encryptingCodec(createCipher([key('before')]));
  expect(await opened(await sealed('x', inProcess('a/1'), older), inProcess('a/1'))).toBe('x');
});

test('a call is ours only if it carries arguments and none of them was refused', () => {
  expect(areSealed([null])).toBe(true);
  expect(areSealed([{ kind: 'execute' }, undefined])).toBe(true);
  expect(areSealed([])).toBe(false);
  expect(areSealed(['transfer', refusedPayload('plain')])).toBe(false);
  expect([null, 'plain', {}].some(isRefusedPayload)).toBe(false);
});

test('an update is read under its own name only', () => {
  const sent = namedUpdate('decide', [{ kind: 'execute' }]);
  expect(argumentsOf('decide', sent)).toEqual([{ kind: 'execute' }]);
  expect(argumentsOf('opened', namedUpdate('opened', []))).toEqual([]);
  for (const other of [
    [],
    [null],
    ['decide'],
    [{ kind: 'execute' }],
    [refusedPayload('plain')],
    [{ update: 'decide' }],
  ])
    expect(argumentsOf('decide', other)).toBeUndefined();
  expect(argumentsOf('aml_cleared', sent)).toBeUndefined();
});
