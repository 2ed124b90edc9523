/** Addresses of the sandbox custodian: published vectors, and that they depend on vault, network and index as they should. */
import { expect, test } from '@jest/globals';
import { NETWORKS, type Network } from '../../../dev/custodian/assets.ts';
import { decimalOf, unitsOf } from '../../../dev/custodian/amounts.ts';
import { FORMATS } from '../../../dev/custodian/chain/address-formats.ts';
import { addressAt } from '../../../dev/custodian/wallets.ts';
import { fc } from '../../support/property.ts';

const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'));
const ONE = hex('01'.padStart(64, '0'));

interface Known {
  readonly network: Network;
  readonly of: string;
  readonly key: Uint8Array;
  readonly address: string;
}
const KNOWN: readonly Known[] = [
  { network: 'bitcoin', of: 'BIP-173', key: ONE, address: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx' },
  { network: 'ethereum', of: 'the key 1', key: ONE, address: '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf' },
  {
    network: 'bnb',
    of: 'the first account of Hardhat and Anvil',
    key: hex('ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'),
    address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  },
  { network: 'tron', of: 'the key 1', key: ONE, address: 'TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC' },
  {
    network: 'solana',
    of: 'RFC 8032, test 1',
    key: hex('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60'),
    address: 'FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z',
  },
  {
    network: 'stellar',
    of: 'a test of js-stellar-base',
    key: hex('ff7fac870b59442a0653c11376634b42750b7cf3a8089cd95f513179097dce85'),
    address: 'GDFQVQCYYB7GKCGSCUSIQYXTPLV5YJ3XWDMWGQMDNM4EAXAL7LITIBQ7',
  },
];

test.each(KNOWN)('on $network the key of $of has the address $address', ({ network, key, address }) => {
  expect(FORMATS[network].encode(key)).toBe(address);
});

test.each<[Network, string, boolean]>([
  ['bitcoin', 'tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7', true],
  ['bitcoin', 'tb1pqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesf3hn0c', true],
  ['bitcoin', 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn', true],
  ['bitcoin', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', false],
  ['bitcoin', 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsy', false],
  ['ethereum', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', true],
  ['ethereum', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1Beaed', false],
  ['ethereum', '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed', true],
  ['ripple', 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh', true],
  ['ripple', 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTi', false],
  ['stellar', 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ', true],
  ['stellar', 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGA', false],
  ['solana', '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU', true],
  ['solana', '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDnc', false],
  ['tron', 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf', true],
  ['tron', 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBg', false],
])('on %s the address %s is valid: %s', (network, address, isValid) => {
  expect(FORMATS[network].isValid(address)).toBe(isValid);
});

test('a derived address is valid on its network, and no other vault or index has it where keys are the vault’s own', () => {
  const seed = Buffer.alloc(32, 7);
  for (const network of NETWORKS) {
    const first = addressAt(seed, network, '0', 0);
    expect(FORMATS[network].isValid(first)).toBe(true);
    const isShared = network === 'ripple' || network === 'stellar';
    expect(addressAt(seed, network, '1', 0) === first).toBe(isShared);
  }
  expect(addressAt(seed, 'polygon', '4', 0)).toBe(addressAt(seed, 'ethereum', '4', 0));
  expect(addressAt(seed, 'bitcoin', '4', 1)).not.toBe(addressAt(seed, 'bitcoin', '4', 0));
});

test('a decimal keeps every digit on its way to whole units and back', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 10n ** 38n }),
      fc.integer({ min: 0, max: 18 }),
      (amount, decimals) => {
        expect(unitsOf(decimalOf(amount, decimals), decimals)).toBe(amount);
      },
    ),
  );
  expect(decimalOf(1_000_000_000_000_000_001n, 18)).toBe('1.000000000000000001');
  expect(unitsOf('1.50', 1)).toBe(15n);
  for (const text of ['', '-1', '1e3', '1.23', '1,5', '.5', '1.']) expect(unitsOf(text, 1)).toBeUndefined();
});
