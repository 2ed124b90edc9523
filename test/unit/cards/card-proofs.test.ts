/** Proofs outlive a change of keys, and nobody else makes them. */
import { expect, test } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { createCardVault } from '../../../adapters/card-vault.ts';

const entry = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`;
const [old, young, strange] = [entry('old'), entry('young'), entry('strange')];
const id = randomUUID();

test('a proof names its authentication under every key of the ring, old and new', () => {
  const before = createCardVault([old]);
  const after = createCardVault([young, old]);
  expect(after.proofs.read(before.proofs.of(id))).toBe(id);
  expect(after.proofs.read(after.proofs.of(id))).toBe(id);
  expect(before.proofs.read(after.proofs.of(id))).toBeUndefined();
});

test('a proof of another ring, another id or another length is none', () => {
  const { proofs } = createCardVault([old]);
  const good = Buffer.from(proofs.of(id), 'base64url');
  const renamed = Buffer.concat([randomBytes(16), good.subarray(16)]);
  for (const bytes of [renamed, good.subarray(1), Buffer.concat([good, good]), Buffer.alloc(0)])
    expect(proofs.read(bytes.toString('base64url'))).toBeUndefined();
  expect(createCardVault([strange]).proofs.read(proofs.of(id))).toBeUndefined();
});
