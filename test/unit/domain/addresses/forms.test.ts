/** What is an address of each chain. Vectors are those of the standards, or of contracts and accounts that everybody can look up. */
import { expect, test } from '@jest/globals';
import { base58, bech32, bech32m } from '@scure/base';
import { codec, decodeAccountID } from 'ripple-address-codec';
import type { Chains, Network } from '../../../../domain/addresses/address.ts';
import { checkDestination } from '../../../../domain/addresses/check.ts';
import { fc } from '../../../support/property.ts';

const verdict = (network: Network, address: string, chains: Chains = 'mainnet') => {
  const checked = checkDestination(
    { network, chains, address, memo: null },
    { memo: network === 'ripple' || network === 'stellar' ? 'optional' : 'none', contracts: [] },
  );
  return typeof checked === 'string' ? checked : checked.address;
};

/** Each is taken as it stands. */
const TAKEN: readonly (readonly [Network, Chains, string])[] = [
  // BIP-13, BIP-49, BIP-84, BIP-86, BIP-173 and BIP-350
  ['bitcoin', 'mainnet', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2'],
  ['bitcoin', 'mainnet', '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy'],
  ['bitcoin', 'mainnet', 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu'],
  ['bitcoin', 'mainnet', 'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr'],
  ['bitcoin', 'mainnet', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0'],
  ['bitcoin', 'testnet', 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn'],
  ['bitcoin', 'testnet', '2Mww8dCYPUpKHofjgcXcBCEGmniw9CoaiD2'],
  ['bitcoin', 'testnet', 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx'],
  ['bitcoin', 'testnet', 'tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7'],
  ['bitcoin', 'testnet', 'tb1pqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesf3hn0c'],
  ['litecoin', 'mainnet', 'LM2WMpR1Rp6j3Sa59cMXMs1SPzj9eXpGc1'],
  ['litecoin', 'mainnet', 'MGxNPPB7eBoWPUaprtX9v9CXJZoD2465zN'],
  ['litecoin', 'mainnet', 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9'],
  ['dogecoin', 'mainnet', 'DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L'],
  ['dogecoin', 'mainnet', '9rXbkMyi1S6thykRoXAZcY8fwUKYsy6cXE'],
  // ERC-55
  ['ethereum', 'mainnet', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
  ['ethereum', 'mainnet', '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'],
  ['polygon', 'mainnet', '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB'],
  ['bnb', 'testnet', '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb'],
  ['tron', 'mainnet', 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'],
  ['tron', 'testnet', 'TA4Y62o6YC2Zsck9rZVGTvqW1AQ7X9zTnj'],
  ['solana', 'mainnet', 'vines1vzrYbzLMRdu58ou5XTby4qAqVRLmqo36NKPTg'],
  ['solana', 'testnet', '7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv'],
  ['ripple', 'mainnet', 'rGWrZyQqhTp9Xu7G5Pkayo7bXjH4k4QYpf'],
  ['ripple', 'testnet', 'r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk59'],
  ['stellar', 'mainnet', 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ'],
];

test.each(TAKEN)('on %s (%s) %s is taken', (network, chains, address) => {
  expect(verdict(network, address, chains)).toBe(address);
});

/** Each is kept in another form than the one given. */
const KEPT: readonly (readonly [Network, string, string])[] = [
  ['bitcoin', 'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'],
  ['ethereum', '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
  ['bnb', '0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
  ['ripple', 'XVLhHMPHU98es4dbozjVtdWzVrDjtV5fdx1mHp98tDMoQXb', 'rGWrZyQqhTp9Xu7G5Pkayo7bXjH4k4QYpf'],
  [
    'stellar',
    'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAJLK',
    'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
  ],
];

test.each(KEPT)('on %s %s is kept as %s', (network, given, kept) => {
  expect(verdict(network, given)).toBe(kept);
});

const REFUSED: readonly (readonly [string, Network, string, Chains?])[] = [
  ['bad_checksum', 'bitcoin', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN3'],
  ['bad_checksum', 'bitcoin', 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyv'],
  // BIP-350: version 1 with the first checksum, version 0 with the second
  ['bad_checksum', 'bitcoin', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd'],
  ['bad_checksum', 'bitcoin', 'BC1S0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL'],
  ['bad_checksum', 'bitcoin', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh'],
  ['bad_checksum', 'bitcoin', 'bc1QW508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'],
  ['wrong_network', 'bitcoin', 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx'],
  ['wrong_network', 'bitcoin', 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu', 'testnet'],
  ['wrong_network', 'bitcoin', 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn'],
  ['wrong_network', 'bitcoin', 'LM2WMpR1Rp6j3Sa59cMXMs1SPzj9eXpGc1'],
  ['wrong_network', 'bitcoin', 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9'],
  ['unknown_witness_version', 'bitcoin', 'bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs'],
  ['unknown_witness_version', 'bitcoin', 'BC1SW50QGDZ25J'],
  // pay-to-anchor
  ['unsupported_type', 'bitcoin', 'bc1pfeessrawgf'],
  ['not_an_address', 'bitcoin', 'BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P'],
  ['not_an_address', 'bitcoin', 'bc1gmk9yu'],
  ['not_an_address', 'bitcoin', 'bitcoin:1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2'],
  ['not_an_address', 'bitcoin', ' 1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2'],
  ['not_an_address', 'bitcoin', 'satoshi@bank.example'],
  ['ambiguous_form', 'litecoin', '3CDJNfdWX8m2NwuGUV3nhXHXEeLygMXoAj'],
  ['ambiguous_form', 'litecoin', '2Mww8dCYPUpKHofjgcXcBCEGmniw9CoaiD2', 'testnet'],
  ['wrong_network', 'litecoin', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2'],
  ['wrong_network', 'dogecoin', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2'],
  ['wrong_network', 'dogecoin', 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu'],
  ['bad_checksum', 'ethereum', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1Beaed'],
  ['not_an_address', 'ethereum', '5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
  ['not_an_address', 'ethereum', '0X5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
  ['not_an_address', 'ethereum', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe'],
  ['not_an_address', 'ethereum', 'eth:0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
  ['not_an_address', 'ethereum', 'XE7338O073KYGTWWZN0F2WZ0R8PX5ZPPZS'],
  ['not_an_address', 'ethereum', 'vitalik.eth'],
  ['bad_checksum', 'tron', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u'],
  ['wrong_network', 'tron', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2'],
  ['not_an_address', 'tron', '41a614f803b6fd780986a42c78ec9c7f77e6ded13c'],
  ['not_on_curve', 'solana', '11111111111111111111111111111111'],
  ['not_on_curve', 'solana', '1nc1nerator11111111111111111111111111111111'],
  ['not_an_address', 'solana', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2'],
  ['not_an_address', 'solana', base58.encode(new Uint8Array(31).fill(7))],
  ['not_an_address', 'solana', base58.encode(new Uint8Array(33).fill(7))],
  ['bad_checksum', 'ripple', 'rGWrZyQqhTp9Xu7G5Pkayo7bXjH4k4QYpg'],
  ['bad_checksum', 'ripple', 'XVLhHMPHU98es4dbozjVtdWzVrDjtV5fdx1mHp98tDMoQXc'],
  ['wrong_network', 'ripple', 'TVE26TYGhfLC7tQDno7G8dGtxSkYQn49b3qD26PK7FcGSKE', 'mainnet'],
  ['wrong_network', 'ripple', 'XVLhHMPHU98es4dbozjVtdWzVrDjtV5fdx1mHp98tDMoQXb', 'testnet'],
  ['bad_checksum', 'stellar', 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGY'],
  ['unsupported_type', 'stellar', 'CA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUWDA'],
  ['unsupported_type', 'stellar', 'TBU2RRGLXH3E5CQHTD3ODLDF2BWDCYUSSBLLZ5GNW7JXHDIYKXZWHXL7'],
  ['not_an_address', 'stellar', 'ga7qynf7sowq3glr2bgmzehxavirza4kvwltjjfc7mgxua74p7ujvsgz'],
  ['not_an_address', 'stellar', 'jed*stellar.example'],
];

test.each(REFUSED)('%s: %s does not take %s', (reason, network, address, chains = 'mainnet') => {
  expect(verdict(network, address, chains)).toBe(reason);
});

test('a Taproot program that is no key is refused', () => {
  // there is no point of the curve with this coordinate
  const program = new Uint8Array(32).fill(0xff);
  const address = bech32m.encode('bc', [1, ...bech32m.toWords(program)]);
  expect(verdict('bitcoin', address)).toBe('not_on_curve');
});

test('half of all keys of Solana lie beside the curve, and none of those is taken', () => {
  const found = { taken: 0, refused: 0 };
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (key) => {
      const address = base58.encode(key);
      const answer = verdict('solana', address);
      expect([address, 'not_on_curve']).toContain(answer);
      found[answer === address ? 'taken' : 'refused'] += 1;
    }),
    { numRuns: 200 },
  );
  expect(found.taken).toBeGreaterThan(50);
  expect(found.refused).toBeGreaterThan(50);
});

const withChecksum = TAKEN.filter(([network]) => network !== 'solana');

test('no address with one other character is taken', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...withChecksum),
      fc.nat(),
      fc.constantFrom(...'123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'),
      ([network, chains, address], place, other) => {
        const at = place % address.length;
        const misspelt = address.slice(0, at) + other + address.slice(at + 1);
        fc.pre(misspelt !== address);
        expect(verdict(network, misspelt, chains)).not.toContain(misspelt);
        expect(verdict(network, misspelt, chains)).toMatch(/^[a-z_]+$/);
      },
    ),
    { numRuns: 1_000 },
  );
});

test('a text that is no address is refused without an error', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...TAKEN.map(([network]) => network)),
      fc.string({ maxLength: 120, unit: 'binary' }),
      (network, text) => {
        expect(verdict(network, text)).toMatch(/^[a-z_]+$/);
      },
    ),
  );
});

test('the reserved bytes of an X-address are zero', () => {
  const tagged = 'X7gJ5YK8abHf2eTPWPFHAAot8Knck11QGqmQ7a6a3Z8PJvk';
  expect(verdict('ripple', tagged)).toBe('rhvh5SrgBL5V8oeV9EpDuVszeJSSCEkbPc');
  // a tag of 64 bits, of which the codec reads the lower half
  const wide = codec.encodeChecked(
    Uint8Array.of(
      0x05,
      0x44,
      ...decodeAccountID('rhvh5SrgBL5V8oeV9EpDuVszeJSSCEkbPc'),
      1,
      5,
      0,
      0,
      0,
      1,
      0,
      0,
      0,
    ),
  );
  expect(verdict('ripple', wide)).toBe('not_an_address');
});

test('a segwit program of version 0 has 20 or 32 bytes', () => {
  for (const size of [2, 16, 19, 21, 31, 33, 40]) {
    const address = bech32.encode('bc', [0, ...bech32.toWords(new Uint8Array(size).fill(7))]);
    expect(verdict('bitcoin', address)).toBe('not_an_address');
  }
});
