/** Where the bank sends nothing although the address is in order, and what has to stand beside it. */
import { expect, test } from '@jest/globals';
import type { Chains, Memo, MemoType, Network } from '../../../../domain/addresses/address.ts';
import { checkDestination, contractOf } from '../../../../domain/addresses/check.ts';
import type { MemoRule } from '../../../../domain/addresses/memo.ts';
import { OFFERED_NETWORKS } from '../../../../domain/crypto/offered.ts';

const XRP = 'rhvh5SrgBL5V8oeV9EpDuVszeJSSCEkbPc';
const X_WITH_TAG = 'X7gJ5YK8abHf2eTPWPFHAAot8Knck11QGqmQ7a6a3Z8PJvk';
const STELLAR = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ';
const MUXED = 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAJLK';
const HALF = '9223372036854775808';
const USDT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';

const BURNED: readonly (readonly [string, Network, string, Chains?])[] = [
  ['burn_address', 'bitcoin', '1111111111111111111114oLvT2'],
  ['burn_address', 'bitcoin', '1BitcoinEaterAddressDontSendf59kuE'],
  ['burn_address', 'bitcoin', 'BC1QQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQ9E75RS'],
  ['burn_address', 'bitcoin', 'tb1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq0l98cr', 'testnet'],
  ['burn_address', 'litecoin', 'ltc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqp9ysmq'],
  ['burn_address', 'dogecoin', 'DDogepartyxxxxxxxxxxxxxxxxxxw1dfzr'],
  ['burn_address', 'ethereum', '0x0000000000000000000000000000000000000000'],
  ['burn_address', 'polygon', '0x000000000000000000000000000000000000dead'],
  ['burn_address', 'bnb', '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'],
  ['burn_address', 'tron', 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb'],
  ['burn_address', 'tron', 'T9yD14Nj9j7xAB4dbGeiX9h8upfCg3PBbY'],
  ['burn_address', 'tron', 'TZJozAg1ruapycCicgz31GxvYJ1FraLjZa'],
  ['burn_address', 'tron', 'TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy'],
  ['burn_address', 'bitcoin', '2MsFDzHRUAMpjHxKyoEHU3aMCMsVtMqs1PV', 'testnet'],
  ['burn_address', 'litecoin', 'QLbz7JHiBTspS962RLKV8GndWFwiJNvEPz', 'testnet'],
  ['burn_address', 'bitcoin', 'bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqthqst8'],
  ['burn_address', 'bitcoin', 'bc1p2zffkaxp5py4fdutfdsrt6t6tcrc5ks09rkfd428hlhf4n5q8tqqwv7ahk'],
  ['burn_address', 'ripple', 'rrrrrrrrrrrrrrrrrrrrrhoLvTp'],
  ['burn_address', 'stellar', 'GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF'],
  ['precompile', 'ethereum', '0x0000000000000000000000000000000000000001'],
  ['precompile', 'ethereum', '0x0000000000000000000000000000000000000100'],
  ['precompile', 'polygon', '0x0000000000000000000000000000000000001010'],
  ['contract_address', 'ethereum', '0x00000000219ab540356cbb839cbe05303d7705fa'],
  ['contract_address', 'solana', 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'],
  ['contract_address', 'solana', 'So11111111111111111111111111111111111111112'],
  ['precompile', 'tron', 'T9yD14Nj9j7xAB4dbGeiX9h8unkKLxmGkn'],
  ['contract_address', 'ethereum', '0xc2132D05D31c914a87C6611C10748AEb04B58e8F'],
  ['contract_address', 'polygon', '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174'],
  ['contract_address', 'solana', 'Stake11111111111111111111111111111111111111'],
  ['contract_address', 'solana', 'SysvarC1ock11111111111111111111111111111111'],
  ['contract_address', 'solana', 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'],
  ['contract_address', 'tron', USDT],
];

test.each(BURNED)('%s: on %s nothing is sent to %s', (reason, network, address, chains = 'mainnet') => {
  const destination = { network, chains, address, memo: null };
  expect(checkDestination(destination, { memo: 'none', contracts: [] })).toBe(reason);
});

test('no coin is sent to the contract of any token that the bank offers', () => {
  for (const chains of ['mainnet', 'testnet'] as const)
    for (const { asset, network, ...offered } of OFFERED_NETWORKS) {
      const { contract } = offered[chains];
      if (contract === undefined) continue;
      // the rows hold contracts in the form in which addresses are compared
      expect({ asset, contract: contractOf(network, contract, chains) }).toEqual({ asset, contract });
      const given = { network, chains, address: contract.toLowerCase(), memo: null };
      const isEvm = contract.startsWith('0x');
      expect(
        checkDestination(isEvm ? given : { ...given, address: contract }, { memo: 'none', contracts: [] }),
      ).toBe('contract_address');
    }
});

test('a contract that only the rows know is no recipient either', () => {
  const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
  const destination = {
    network: 'bnb',
    chains: 'mainnet',
    address: address.toLowerCase(),
    memo: null,
  } as const;
  expect(checkDestination(destination, { memo: 'none', contracts: [] })).toMatchObject({ address });
  expect(checkDestination(destination, { memo: 'none', contracts: [address] })).toBe('contract_address');
});

test('a contract has the form of its network, and there is none where nothing but one coin moves', () => {
  expect(contractOf('ethereum', '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed', 'mainnet')).toBe(
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  );
  // a mint of Solana may be the account of a program
  expect(contractOf('solana', '1nc1nerator11111111111111111111111111111111', 'mainnet')).toBeDefined();
  expect(contractOf('stellar', MUXED, 'mainnet')).toBeUndefined();
  expect(contractOf('ripple', X_WITH_TAG, 'mainnet')).toBeUndefined();
  expect(contractOf('bitcoin', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', 'mainnet')).toBeUndefined();
});

test('each coin is offered on each network once, under one name of the custodian', () => {
  for (const chains of ['mainnet', 'testnet'] as const) {
    const names = OFFERED_NETWORKS.map((offered) => offered[chains].custodyAsset);
    expect(new Set(names).size).toBe(names.length);
  }
  const pairs = OFFERED_NETWORKS.map(({ asset, network }) => `${asset} ${network}`);
  expect(new Set(pairs).size).toBe(pairs.length);
});

const memoOf = (
  network: Network,
  address: string,
  value: string | null,
  type: MemoType | null = null,
  rule: MemoRule = 'optional',
): Memo | null | string => {
  const memo = value === null ? null : { value, type };
  const checked = checkDestination(
    { network, chains: 'mainnet', address, memo },
    { memo: rule, contracts: [] },
  );
  return typeof checked === 'string' ? checked : checked.memo;
};

const MEMOS: readonly (readonly [Network, string, string | null, MemoType | null, Memo | null | string])[] = [
  ['ripple', XRP, null, null, null],
  ['ripple', XRP, '0', null, { type: 'tag', value: '0' }],
  ['ripple', XRP, '4294967295', 'tag', { type: 'tag', value: '4294967295' }],
  ['ripple', XRP, '00042', null, { type: 'tag', value: '42' }],
  ['ripple', XRP, '4294967296', null, 'memo_invalid'],
  ['ripple', XRP, '-1', null, 'memo_invalid'],
  ['ripple', XRP, '1e3', null, 'memo_invalid'],
  ['ripple', XRP, '١٢', null, 'memo_invalid'],
  ['ripple', XRP, '12', 'text', 'memo_invalid'],
  ['ripple', XRP, '12\n', null, 'memo_invalid'],
  ['stellar', STELLAR, '12345\n', 'text', 'memo_invalid'],
  ['stellar', STELLAR, ' 12345', null, 'memo_invalid'],
  ['ripple', X_WITH_TAG, null, null, { type: 'tag', value: '1337' }],
  ['ripple', X_WITH_TAG, '1337', null, { type: 'tag', value: '1337' }],
  ['ripple', X_WITH_TAG, '1338', null, 'memo_conflict'],
  ['stellar', STELLAR, null, null, null],
  ['stellar', STELLAR, '12345', null, { type: 'text', value: '12345' }],
  ['stellar', STELLAR, '12345', 'id', { type: 'id', value: '12345' }],
  ['stellar', STELLAR, '18446744073709551615', 'id', { type: 'id', value: '18446744073709551615' }],
  ['stellar', STELLAR, '18446744073709551616', 'id', 'memo_invalid'],
  ['stellar', STELLAR, 'a'.repeat(28), 'text', { type: 'text', value: 'a'.repeat(28) }],
  ['stellar', STELLAR, 'ä'.repeat(15), 'text', 'memo_invalid'],
  ['stellar', STELLAR, '7', 'tag', 'memo_invalid'],
  ['stellar', MUXED, null, null, { type: 'id', value: HALF }],
  ['stellar', MUXED, HALF, null, { type: 'id', value: HALF }],
  ['stellar', MUXED, '5', 'id', 'memo_conflict'],
  ['stellar', MUXED, HALF, 'text', 'memo_conflict'],
];

test.each(MEMOS)('%s: %s with the memo %s (%s)', (network, address, value, type, expected) => {
  expect(memoOf(network, address, value, type)).toEqual(expected);
});

test('a memo is asked for where the bank says so, and refused where the network knows none', () => {
  expect(memoOf('ripple', XRP, null, null, 'required')).toBe('memo_required');
  expect(memoOf('ripple', X_WITH_TAG, null, null, 'required')).toEqual({ type: 'tag', value: '1337' });
  expect(memoOf('ripple', XRP, '0', null, 'required')).toEqual({ type: 'tag', value: '0' });
  expect(memoOf('ripple', X_WITH_TAG, null, null, 'none')).toBe('memo_not_taken');
  expect(memoOf('tron', 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', '1', null, 'optional')).toBe('memo_not_taken');
});
