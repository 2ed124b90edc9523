/** PIN blocks of ISO 9564-1: sealed here step by step as the standard says, and opened. */
import { describe, expect, test } from '@jest/globals';
import { createCipheriv } from 'node:crypto';
import { openPinBlock } from '../../../domain/cards/pin-block.ts';

const PAN = '4111111111111111';
const DES = '0123456789abcdeffedcba9876543210';
const AES = '00112233445566778899aabbccddeeff';

function sealed(algorithm: string, key: string, hex: string): string {
  const cipher = createCipheriv(algorithm, Buffer.from(key, 'hex'), null).setAutoPadding(false);
  return cipher.update(hex, 'hex', 'hex');
}

const xor = (one: string, other: string): string =>
  (BigInt(`0x${one}`) ^ BigInt(`0x${other}`)).toString(16).padStart(one.length, '0');

const format0 = (field: string): string =>
  sealed('des-ede3', DES + DES.slice(0, 16), xor(field, '0000111111111111'));
const format4 = (field: string): string =>
  sealed('aes-128-ecb', AES, xor(sealed('aes-128-ecb', AES, field), '44111111111111111000000000000000'));

describe('format 0', () => {
  test('the clear block is the published one', () => {
    expect(xor('041234ffffffffff', '0000111111111111')).toBe('041225eeeeeeeeee');
  });

  test.each([
    ['1234', '041234ffffffffff'],
    ['123456789012', '0c123456789012ff'],
  ])('%s is opened', (pin, field) => {
    expect(openPinBlock({ format: 0, key: DES, pan: PAN, block: format0(field) })).toBe(pin);
  });

  test('with a key of three parts as well', () => {
    const key = DES + DES.slice(0, 16);
    expect(openPinBlock({ format: 0, key, pan: PAN, block: format0('041234ffffffffff') })).toBe('1234');
  });

  test.each(['031234ffffffffff', '05123fffffffffff', '141234ffffffffff', '041234ffffffff0f'])(
    'the field %s is refused',
    (field) => {
      expect(() => openPinBlock({ format: 0, key: DES, pan: PAN, block: format0(field) })).toThrow(TypeError);
    },
  );
});

describe('format 4', () => {
  const block = format4('441234aaaaaaaaaa0011223344556677');

  test('a PIN is opened, whatever is random in its block', () => {
    expect(openPinBlock({ format: 4, key: AES, pan: PAN, block })).toBe('1234');
    const other = format4('46123456aaaaaaaaffeeddccbbaa9988');
    expect(openPinBlock({ format: 4, key: AES, pan: PAN, block: other })).toBe('123456');
  });

  test.each([
    ['another number', { pan: '4111111111111129' }],
    ['another key', { key: AES.replace('00', '01') }],
    ['a short block', { block: block.slice(2) }],
    ['no hex', { block: block.replace(/.$/, 'x') }],
    ['a short key', { key: AES.slice(2) }],
    ['a short number', { pan: '411111' }],
  ])('%s is refused', (_what, wrong) => {
    expect(() => openPinBlock({ format: 4, key: AES, pan: PAN, block, ...wrong })).toThrow(TypeError);
  });
});
