/** The chains of the sandbox custodian: confirmations, reorganisations, stuck transactions and what gets them unstuck. */
import { beforeEach, expect, test } from '@jest/globals';
import { RULES } from '../../../dev/custodian/assets.ts';
import { drop } from '../../../dev/custodian/chain/sending.ts';
import { force } from '../../../dev/custodian/control/force.ts';
import { balanceOf } from '../../../dev/custodian/state/balances.ts';
import type { Transaction } from '../../../dev/custodian/state/records.ts';
import { addAddress, ownerOf } from '../../../dev/custodian/wallets.ts';
import { assetOf, openCustodian, units, type TestCustodian } from '../../support/custodian/world.ts';

let custodian: TestCustodian;
beforeEach(() => {
  custodian = openCustodian();
});

const seen = (transaction: Transaction) => {
  const { status, subStatus, height } = custodian.now(transaction);
  return { status, subStatus, isMined: height !== null };
};
const WAITS = { status: 'CONFIRMING', subStatus: 'PENDING_BLOCKCHAIN_CONFIRMATIONS', isMined: false };
const DROPPED = { status: 'FAILED', subStatus: 'DROPPED_BY_BLOCKCHAIN', isMined: false };
const DONE = { status: 'COMPLETED', subStatus: 'CONFIRMED', isMined: true };
const available = (vault: string, asset: string): bigint =>
  balanceOf(custodian.world, vault, asset).available;
const market = (network: 'bitcoin' | 'ethereum', level: 'low' | 'medium' | 'high'): void =>
  void custodian.world.act(() => custodian.world.chains.setMarket(network, level));

/** A vault that has so much of an asset, confirmed. */
function funded(asset: string, amount: string) {
  const vault = custodian.vault('funded', asset);
  custodian.deposit(vault, asset, amount);
  custodian.blocks(assetOf(asset).network, 30);
  return vault;
}

test('a deposit is pending until its last confirmation, and available with it', () => {
  const vault = custodian.vault('u', 'BTC_TEST');
  const arriving = custodian.deposit(vault, 'BTC_TEST', '0.5');
  custodian.blocks('bitcoin', RULES.bitcoin.confirmations - 1);
  expect(balanceOf(custodian.world, vault.id, 'BTC_TEST')).toMatchObject({
    available: 0n,
    pending: 50_000_000n,
  });
  custodian.blocks('bitcoin', 1);
  expect(seen(arriving)).toEqual(DONE);
  expect(available(vault.id, 'BTC_TEST')).toBe(50_000_000n);
});

test('after a reorganisation blocks have other hashes, a completed deposit waits again, and comes back with the next block', () => {
  const vault = custodian.vault('u', 'ETH_TEST5');
  const arriving = custodian.deposit(vault, 'ETH_TEST5', '1');
  custodian.blocks('ethereum', 12);
  const { height } = custodian.world.chains.of('ethereum');
  const before = custodian.world.chains.blockHash('ethereum', height);
  const untouched = custodian.world.chains.blockHash('ethereum', height - 12);
  custodian.reorganise('ethereum', 12, false);
  expect(seen(arriving)).toEqual(WAITS);
  expect(available(vault.id, 'ETH_TEST5')).toBe(0n);
  expect(custodian.world.chains.of('ethereum').height).toBe(height);
  expect(custodian.world.chains.blockHash('ethereum', height)).not.toBe(before);
  expect(custodian.world.chains.blockHash('ethereum', height - 12)).toBe(untouched);
  custodian.blocks('ethereum', 12);
  expect(seen(arriving)).toEqual(DONE);
});

test('a deposit that vanishes takes what spends it with it', () => {
  const vault = custodian.vault('u', 'BTC_TEST');
  const arriving = custodian.deposit(vault, 'BTC_TEST', '1');
  custodian.blocks('bitcoin', 3);
  const spending = custodian.send(vault, 'BTC_TEST', '0.9');
  custodian.reorganise('bitcoin', 3, true);
  expect([seen(arriving), seen(spending)]).toEqual([DROPPED, DROPPED]);
  expect(balanceOf(custodian.world, vault.id, 'BTC_TEST').total).toBe(0n);
});

test('what spends a transfer that fell out of the chain and is too cheap by now is not mined before it', () => {
  const [from, to] = [funded('BTC_TEST', '1'), custodian.vault('to', 'BTC_TEST')];
  custodian.send(from, 'BTC_TEST', '0.5', { to: { vault: to.id } });
  custodian.blocks('bitcoin', 3);
  market('bitcoin', 'high');
  const spending = custodian.send(to, 'BTC_TEST', '0.4');
  custodian.blocks('bitcoin', 1);
  custodian.reorganise('bitcoin', 4, false);
  custodian.blocks('bitcoin', 1);
  expect(seen(spending)).toEqual(WAITS);
  market('bitcoin', 'low');
  custodian.blocks('bitcoin', 4);
  expect(seen(spending)).toEqual(DONE);
});

test('a transaction below the market waits, and is mined once the market has come down', () => {
  const vault = funded('BTC_TEST', '1');
  const cheap = custodian.send(vault, 'BTC_TEST', '0.1');
  market('bitcoin', 'high');
  custodian.blocks('bitcoin', 5);
  expect(seen(cheap)).toEqual(WAITS);
  market('bitcoin', 'low');
  custodian.blocks('bitcoin', 3);
  expect(seen(cheap)).toEqual(DONE);
});

test('a child that pays for both gets its parent mined', () => {
  const vault = funded('BTC_TEST', '1');
  const parent = custodian.send(vault, 'BTC_TEST', '0.1');
  market('bitcoin', 'high');
  const poor = custodian.send(vault, 'BTC_TEST', '0.1', {
    to: { vault: vault.id },
    rate: 41n,
    paysFor: parent,
  });
  custodian.blocks('bitcoin', 1);
  expect([seen(parent), seen(poor)]).toEqual([WAITS, WAITS]);
  const child = custodian.send(vault, 'BTC_TEST', '0.1', {
    to: { vault: vault.id },
    rate: 75n,
    paysFor: parent,
  });
  custodian.blocks('bitcoin', 3);
  expect([seen(parent), seen(child)]).toEqual([DONE, DONE]);
});

test('a replacement is debited in the place of the transaction that it replaces, whichever of the two is mined', () => {
  for (const originalWins of [false, true]) {
    const vault = funded('ETH_TEST5', '1');
    const original = custodian.send(vault, 'ETH_TEST5', '0.9');
    const held = available(vault.id, 'ETH_TEST5');
    const replacement = custodian.send(vault, 'ETH_TEST5', '0.9', {
      replaces: original,
      rate: original.rate * 2n,
    });
    expect(available(vault.id, 'ETH_TEST5')).toBe(held - original.fee);
    if (originalWins)
      custodian.world.act(() =>
        force(custodian, custodian.now(original), {
          status: 'CONFIRMING',
          subStatus: undefined,
          fee: undefined,
        }),
      );
    custodian.blocks('ethereum', 12);
    const [winner, loser] = originalWins ? [original, replacement] : [replacement, original];
    expect([seen(winner), seen(loser)]).toEqual([DONE, DROPPED]);
    const spent = units('ETH_TEST5', '0.9') + winner.fee;
    expect(available(vault.id, 'ETH_TEST5')).toBe(units('ETH_TEST5', '1') - spent);
  }
});

test('a transaction that is dropped costs the fee alone', () => {
  const vault = funded('ETH_TEST5', '1');
  const original = custodian.send(vault, 'ETH_TEST5', '0.5');
  const { result: dropping } = custodian.world.act(() =>
    drop(custodian.world, custodian.lifecycle, original, original.rate * 2n),
  );
  custodian.blocks('ethereum', 12);
  expect([seen(dropping), seen(original)]).toEqual([DONE, DROPPED]);
  expect(available(vault.id, 'ETH_TEST5')).toBe(units('ETH_TEST5', '1') - dropping.fee);
});

test('a transfer that the vault cannot pay for fails, and holds nothing', () => {
  const vault = funded('USDC_ETH_TEST5_0GER', '10');
  const failing = [
    custodian.send(vault, 'USDC_ETH_TEST5_0GER', '11'),
    custodian.send(vault, 'USDC_ETH_TEST5_0GER', '10'),
    custodian.send(vault, 'USDC_ETH_TEST5_0GER', '1', { to: { address: 'nowhere', tag: '' } }),
  ];
  expect(failing.map((one) => seen(one).subStatus)).toEqual([
    'INSUFFICIENT_FUNDS',
    'INSUFFICIENT_FUNDS_FOR_FEE',
    'INVALID_ADDRESS',
  ]);
  expect(available(vault.id, 'USDC_ETH_TEST5_0GER')).toBe(10_000_000n);
});

test.each(['PENDING_AML_SCREENING', 'PENDING_AUTHORIZATION', 'QUEUED'] as const)(
  'a transaction that is to be held at %s stays there until it is moved on, and its money is set aside',
  (status) => {
    const vault = funded('BTC_TEST', '1');
    custodian.world.setFate({ status, subStatus: '' });
    const held = custodian.send(vault, 'BTC_TEST', '0.4');
    custodian.blocks('bitcoin', 3);
    expect(custodian.now(held)).toMatchObject({ status, txHash: '' });
    expect(balanceOf(custodian.world, vault.id, 'BTC_TEST').locked).toBe(held.amount + held.fee);
    const onward = { status: 'BROADCASTING', subStatus: undefined, fee: undefined } as const;
    custodian.world.act(() => force(custodian, custodian.now(held), onward));
    custodian.blocks('bitcoin', 3);
    expect(seen(held)).toEqual(DONE);
    expect(custodian.now(held).txHash).not.toBe('');
  },
);

test('a transfer that reverts on the chain costs its fee and nothing else', () => {
  const vault = funded('ETH_TEST5', '1');
  const reverting = custodian.send(vault, 'ETH_TEST5', '0.5');
  custodian.world.act(() =>
    force(custodian, reverting, { status: 'FAILED', subStatus: 'REJECTED_BY_BLOCKCHAIN', fee: 500n }),
  );
  expect(available(vault.id, 'ETH_TEST5')).toBe(units('ETH_TEST5', '1') - 500n);
});

test('everything of a vault can be sent: with the fee in the amount exactly nothing is left', () => {
  const vault = funded('BTC_TEST', '1');
  custodian.send(vault, 'BTC_TEST', '1', { isGross: true });
  custodian.blocks('bitcoin', 3);
  expect(balanceOf(custodian.world, vault.id, 'BTC_TEST').total).toBe(0n);
});

test('the gas station fuels a vault to which a token has come, once, and only if it is switched on', () => {
  const vault = funded('USDC_ETH_TEST5_0GER', '10');
  expect(available(vault.id, 'ETH_TEST5')).toBe(0n);
  custodian.world.act(() => custodian.world.change({ ...custodian.world.settings(), gasStation: true }));
  custodian.deposit(vault, 'USDC_ETH_TEST5_0GER', '1');
  custodian.blocks('ethereum', 30);
  const fuel = [...custodian.world.transactions.values()].filter(
    ({ source }) => source.type === 'GAS_STATION',
  );
  expect(fuel).toHaveLength(1);
  custodian.send(vault, 'USDC_ETH_TEST5_0GER', '1');
  custodian.deposit(vault, 'USDC_ETH_TEST5_0GER', '1');
  custodian.blocks('ethereum', 30);
  expect(available(vault.id, 'USDC_ETH_TEST5_0GER')).toBe(11_000_000n);
  expect(
    [...custodian.world.transactions.values()].filter(({ source }) => source.type === 'GAS_STATION'),
  ).toEqual(fuel.map(custodian.now));
});

test('on an account that all vaults share the tag tells whose a deposit is', () => {
  const [first, second] = [custodian.vault('a', 'XRP_TEST'), custodian.vault('b', 'XRP_TEST')];
  const tagged = [first, second].map(
    ({ id }) =>
      custodian.world.act(() =>
        addAddress(
          custodian.world,
          { vault: id, asset: assetOf('XRP_TEST') },
          { description: '', customerRefId: null },
        ),
      ).result,
  );
  expect(new Set(tagged.map(({ address }) => address)).size).toBe(1);
  const owner = (tag: string) =>
    ownerOf(custodian.world, assetOf('XRP_TEST'), tagged[0]?.address ?? '', tag)?.id;
  expect(tagged.map(({ tag }) => owner(tag))).toEqual([first.id, second.id]);
  expect([owner(''), owner('1')]).toEqual([first.id, first.id]);
});
