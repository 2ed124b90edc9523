/** Keys and seeds are told from addresses, and never the other way round. */
import { expect, test } from '@jest/globals';
import { sha256 } from '@noble/hashes/sha2.js';
import { base32nopad, base58, bech32m, createBase58check, hex } from '@scure/base';
import { looksLikeSecret } from '../../../../domain/addresses/secrets.ts';
import { fc } from '../../../support/property.ts';

const base58check = createBase58check(sha256);
const bytes = (size: number) => fc.uint8Array({ minLength: size, maxLength: size });

const SECRETS = {
  'BIP-39': 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about',
  'numbered words':
    '1. legal 2. winner 3. thank 4. year 5. wave 6. sausage 7. worth 8. useful 9. legal 10. winner 11. thank 12. yellow',
  'words of Japan':
    'あいこくしん あいこくしん あいこくしん あいこくしん あいこくしん あいこくしん あいこくしん あいこくしん あいこくしん あいこくしん あいこくしん あおぞら',
  'words of Japan, decomposed': 'がくしゅう '.repeat(12).normalize('NFD'),
  'words with full stops':
    '1.legal 2.winner 3.thank 4.year 5.wave 6.sausage 7.worth 8.useful 9.legal 10.winner 11.thank 12.yellow',
  'words in quotation marks': JSON.stringify(Array.from({ length: 12 }, () => 'abandon')),
  'words with hyphens': Array.from({ length: 12 }, () => 'abandon').join('-'),
  WIF: '5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ',
  'compressed WIF': 'KwdMAjGmerYanjeui5SHS7JkmpZvVipYvB2LJGU1ZxJwYvP98617',
  'misspelt WIF': 'KwdMAjGmerYanjeui5SHS7JkmpZvVipYvB2LJGU1ZxJwYvP98618',
  'BIP-38': '6PRVWUbkzzsbcVac2qwfssoUJAN1Xhrg6bNk8J7Nzm5H7kxEbn2Nh2ZoGg',
  xprv: 'xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi',
  hexadecimal: 'e9873d79c6d87dc0fb6a5778633389f4453213303da61f20bd67fc233aa33262',
  'with 0x': '0xE9873D79C6D87DC0FB6A5778633389F4453213303DA61F20BD67FC233AA33262',
  'in groups': 'e987 3d79 c6d8 7dc0 fb6a 5778 6333 89f4 4532 1330 3da6 1f20 bd67 fc23 3aa3 3262',
  'one digit short': 'e9873d79c6d87dc0fb6a5778633389f4453213303da61f20bd67fc233aa3326',
  'WIF with a wrong letter': 'KwdMAjGmerYanjeui5SHS7JkmpZvVipYvB2LJGU1ZxJwYvP9861O',
  'WIF with a blank': 'KwdMAjGmerYanjeui5SHS7Jkmp ZvVipYvB2LJGU1ZxJwYvP98617',
  'numbers with letters': 'A 554872 B 394230 C 209376 D 323698 E 140250 F 387423 G 652803 H 258676',
  'bytes with a name': `key: ${Array.from({ length: 32 }, (_, at) => at * 7).join(', ')}`,
  Stellar: 'SBU2RRGLXH3E5CQHTD3ODLDF2BWDCYUSSBLLZ5GNW7JXHDIYKXZWGTOG',
  'XRP Ledger': 'sn259rEFXrQrWyx3Q7XneWcwV6dfL',
  'XRP Ledger, Ed25519': 'sEdTM1uX8pu2do5XvTnutH6HsouMaM2',
  'numbers of the XRP Ledger': '554872 394230 209376 323698 140250 387423 652803 258676',
  'bytes of Solana': `[${Array.from({ length: 64 }, (_, at) => at * 3).join(',')}]`,
  PEM: '-----BEGIN EC PRIVATE KEY-----',
  'within a sentence': 'please send it: KwdMAjGmerYanjeui5SHS7JkmpZvVipYvB2LJGU1ZxJwYvP98617, thanks',
};

test.each(Object.entries(SECRETS))('%s is a secret', (_kind, text) => {
  expect(looksLikeSecret(text)).toBe(true);
  expect(looksLikeSecret(`  ${text}\n`)).toBe(true);
});

test('every key in the forms of wallets is a secret', () => {
  fc.assert(
    fc.property(bytes(32), bytes(64), (key, pair) => {
      const versions = [0x80, 0xef, 0xb0, 0x9e, 0xf1];
      for (const version of versions) {
        expect(looksLikeSecret(base58check.encode(Uint8Array.of(version, ...key, 1)))).toBe(true);
        expect(looksLikeSecret(base58check.encode(Uint8Array.of(version, ...key)))).toBe(true);
      }
      expect(looksLikeSecret(hex.encode(key))).toBe(true);
      expect(looksLikeSecret(base58.encode(pair.map((byte, at) => (at === 0 ? byte | 1 : byte))))).toBe(true);
    }),
  );
});

test('no address is one', () => {
  fc.assert(
    fc.property(bytes(20), bytes(32), bytes(40), (hash, key, muxed) => {
      const addresses = [
        ...[0x00, 0x05, 0x6f, 0xc4, 0x30, 0x32, 0x3a, 0x1e, 0x16, 0x71, 0x41].map((version) =>
          base58check.encode(Uint8Array.of(version, ...hash)),
        ),
        bech32m.encode('bc', [1, ...bech32m.toWords(key)]),
        bech32m.encode('tltc', [0, ...bech32m.toWords(hash)]),
        `0x${hex.encode(hash)}`,
        base58.encode(key.map((byte, at) => (at === 0 ? byte | 1 : byte))),
        base32nopad.encode(Uint8Array.of(6 << 3, ...key, 0, 0)),
        base32nopad.encode(Uint8Array.of(12 << 3, ...muxed, 0, 0)),
      ];
      for (const address of addresses)
        expect({ address, secret: looksLikeSecret(address) }).toEqual({ address, secret: false });
    }),
    { numRuns: 2_000 },
  );
  for (const text of [
    'rGWrZyQqhTp9Xu7G5Pkayo7bXjH4k4QYpf',
    'X7gJ5YK8abHf2eTPWPFHAAot8Knck11QGqmQ7a6a3Z8PJvk',
    '12345',
    'Invoice 4711 of March',
  ])
    expect(looksLikeSecret(text)).toBe(false);
});
