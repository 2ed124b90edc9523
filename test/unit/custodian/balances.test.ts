/** Whatever happens on the chains, the sandbox custodian's balances are what arrived, less what left, less the fees. */
import { expect, test } from '@jest/globals';
import { RULES, type Network } from '../../../dev/custodian/assets.ts';
import { balanceOf } from '../../../dev/custodian/state/balances.ts';
import type { Vault } from '../../../dev/custodian/state/records.ts';
import { openCustodian, type TestCustodian } from '../../support/custodian/world.ts';
import { fc } from '../../support/property.ts';

const ASSETS_USED = ['BTC_TEST', 'ETH_TEST5', 'USDC_ETH_TEST5_0GER'] as const;
const NETWORKS_USED = ['bitcoin', 'ethereum'] as const;

type Step =
  | {
      readonly kind: 'deposit' | 'send' | 'move';
      readonly vault: 0 | 1;
      readonly asset: string;
      readonly amount: number;
    }
  | { readonly kind: 'blocks'; readonly network: Network; readonly count: number }
  | { readonly kind: 'reorg'; readonly network: Network; readonly depth: number; readonly vanish: boolean }
  | { readonly kind: 'market'; readonly network: Network; readonly level: 'low' | 'medium' | 'high' };

const vault = fc.constantFrom<0 | 1>(0, 1);
const network = fc.constantFrom(...NETWORKS_USED);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom<'deposit' | 'send' | 'move'>('deposit', 'send', 'move'),
      ...{ vault, asset: fc.constantFrom(...ASSETS_USED), amount: fc.integer({ min: 1, max: 20 }) },
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('blocks' as const),
      network,
      count: fc.integer({ min: 1, max: 14 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      ...{ kind: fc.constant('reorg' as const), network, depth: fc.integer({ min: 1, max: 15 }) },
      vanish: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      ...{ kind: fc.constant('market' as const), network },
      level: fc.constantFrom<'low' | 'medium' | 'high'>('low', 'medium', 'high'),
    }),
  },
);

function take(custodian: TestCustodian, vaults: readonly Vault[], one: Step): void {
  switch (one.kind) {
    case 'blocks':
      return custodian.blocks(one.network, one.count);
    case 'reorg':
      return custodian.reorganise(one.network, one.depth, one.vanish);
    case 'market':
      return void custodian.world.act(() => custodian.world.chains.setMarket(one.network, one.level));
    case 'deposit':
    case 'send':
    case 'move': {
      const [mine, other] = [vaults[one.vault], vaults[1 - one.vault]];
      if (mine === undefined || other === undefined) throw new Error('there are two vaults');
      if (one.kind === 'deposit') custodian.deposit(mine, one.asset, String(one.amount));
      else
        custodian.send(mine, one.asset, String(one.amount), {
          ...(one.kind === 'move' ? { to: { vault: other.id } } : {}),
        });
    }
  }
}

/** What all vaults must have together of an asset, by the transactions alone. */
function expected(custodian: TestCustodian, asset: string): bigint {
  let sum = 0n;
  for (const one of custodian.world.transactions.values()) {
    const [isFromUs, isToUs] = [one.source, one.destination].map(({ type }) => type === 'VAULT_ACCOUNT');
    const isMined = one.height !== null;
    const hasFailed = one.status === 'FAILED';
    if (one.asset === asset && isToUs && !isFromUs && !hasFailed) sum += one.amount;
    if (one.asset === asset && isFromUs && !isToUs && isMined && !hasFailed) sum -= one.amount;
    if (RULES[one.network].gas === asset && isFromUs && isMined) sum -= one.fee;
  }
  return sum;
}

function check(custodian: TestCustodian, vaults: readonly Vault[]): void {
  for (const asset of ASSETS_USED) {
    let together = 0n;
    for (const { id } of vaults) {
      const { total, ...parts } = balanceOf(custodian.world, id, asset);
      for (const [part, units] of Object.entries(parts))
        if (units < 0n) throw new Error(`${part} of ${asset} in vault ${id} is ${String(units)}`);
      expect(Object.values(parts).reduce((sum, one) => sum + one, 0n)).toBe(total);
      together += total;
    }
    expect({ asset, together }).toEqual({ asset, together: expected(custodian, asset) });
  }
}

test('after any blocks, reorganisations, deposits and transfers no balance is below zero, and all of them add up', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 40 }), (steps) => {
      const custodian = openCustodian();
      const vaults = ['a', 'b'].map((name) => custodian.vault(name, ...ASSETS_USED));
      // without means at the beginning, hardly any transfer would be paid for
      for (const vault of vaults) for (const asset of ASSETS_USED) custodian.deposit(vault, asset, '30');
      for (const network of NETWORKS_USED) custodian.blocks(network, 12);
      for (const one of steps) {
        take(custodian, vaults, one);
        check(custodian, vaults);
      }
    }),
    { numRuns: 100 },
  );
});
