/** Rules of the money-laundering watch for tests: each looks only at who pays the account of its test, and ends with it. */
import { expect } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { TransferAnswer, type AccountAnswer, type Bank, type Person } from './bank.ts';
import { approvedCall } from './second-person.ts';
import { until } from '../stack/processes.ts';
import type { UserId } from '../../../domain/ids.ts';
import { newKey, patiently, type Answered } from '../client.ts';

/** A payer, and somebody whom nobody else pays. */
export interface Pair {
  readonly payer: Person;
  readonly payee: Person;
  readonly from: AccountAnswer;
  readonly to: AccountAnswer;
  /** By which a rule knows payments to the payee. */
  readonly counterparty: string;
}

export async function payingPair(bank: Bank, amount = '50000.00'): Promise<Pair> {
  const [payer, payee] = [await bank.customer(), await bank.customer()];
  const [from, to] = [await bank.fundedAccount(payer, amount), await bank.account(payee)];
  const [row] = await bank.asOwner('select iban, number from accounts where id = $1', [to.id]);
  return { payer, payee, from, to, counterparty: String(row?.['iban'] ?? row?.['number']) };
}

/** Pays; a bank that is too busy has done nothing, and is asked again. */
export function payIn(bank: Bank, { payer, from, to }: Pair, amount: string): Promise<Answered> {
  const key = newKey();
  return patiently(() => bank.transfer(payer, { from: from.id, to: to.id, amount, key }));
}

/** A payment that is held by flags of its own. */
export interface HeldPayment extends Pair {
  readonly id: string;
  readonly rules: readonly string[];
  /** In the order of the rules. */
  readonly flags: readonly string[];
}

/** A payment of 25.00 that is held by one flag for each rule. */
export async function heldPayment(bank: Bank, watch: Watch, ...rules: object[]): Promise<HeldPayment> {
  const world = await payingPair(bank);
  const ids: string[] = [];
  for (const rule of rules.length === 0 ? [{}] : rules)
    ids.push(await watch.liveRule(world.counterparty, rule));
  const { id } = (await payIn(bank, world, '25.00')).as(TransferAnswer);
  const flags = await bank.asOwner(
    `select f.id from aml_flags f where f.rule_id = any ($1) order by array_position($1::uuid[], f.rule_id)`,
    [ids],
  );
  return { ...world, id, rules: ids, flags: flags.map((row) => String(row['id'])) };
}

/** How the payer sees a payment. */
export async function statusOf({ payer }: Pick<Pair, 'payer'>, id: string): Promise<string> {
  const path = `/v1/transfers/${id}`;
  return (await payer.client.call('GET', path, { token: payer.token })).as(TransferAnswer).status;
}

/** Waits until the process has carried out what was decided. */
export async function becomes(world: Pick<HeldPayment, 'payer' | 'id'>, status: string): Promise<void> {
  await until(async () => (await statusOf(world, world.id)) === status);
}

/** Somebody who writes rules. */
export interface Watch {
  readonly writer: Person;
  /** A rule for payments to this counterparty that is live since a second administrator approved it. Answers its id. */
  liveRule(counterparty: string, more: object, limit?: object): Promise<string>;
  /** Ends a rule with the test. */
  ends(rule: string): void;
  close(): Promise<void>;
}

export async function openWatch(bank: Bank): Promise<Watch> {
  const writer = await bank.admin('aml:write');
  const made: string[] = [];
  return {
    writer,
    ends: (rule) => void made.push(rule),
    async liveRule(counterparty, more, limit = {}) {
      const known = { left: { field: 'counterparty' }, op: 'eq', right: { value: counterparty } };
      const all = Object.keys(limit).length === 0 ? [known] : [known, limit];
      const body = {
        ...{ code: `h${newKey().replaceAll('-', '')}`, name: 'Of a test', severity: 'high', action: 'hold' },
        ...{ applies_to: ['outgoing_transfer'], status: 'live', condition: { all }, ...more },
      };
      const call = { key: newKey(), body };
      const answer = await approvedCall(bank, writer, 'POST', '/v1/admin/aml/rules', call);
      const { id, status } = answer.as(z.looseObject({ id: z.uuid(), status: z.string() }));
      expect(status).toBe('live');
      made.push(id);
      return id;
    },
    async close() {
      await bank.asOwner(`update aml_rules set status = 'disabled' where id = any ($1)`, [made]);
    },
  };
}

/** A rule that is live and holds every payment of this bank above one cent: for a bank of the test's own. */
export async function holdsEverything(bank: Pick<Bank, 'asOwner'>): Promise<void> {
  await ruleInForce(bank, 'outgoing_transfer', {
    left: { field: 'amount' },
    op: 'gt',
    right: { value: '0.01' },
  });
}

/** A rule that is live for movements of a kind: for a bank of the test's own, in which nobody has to approve it. Answers its id. */
export async function ruleInForce(
  { asOwner }: Pick<Bank, 'asOwner'>,
  kind: string,
  condition: object,
  action = 'hold',
): Promise<string> {
  const id = randomUUID();
  await asOwner('insert into aml_rules (id, code) values ($1, $2)', [id, `r${id.replaceAll('-', '')}`]);
  await asOwner(
    `insert into aml_rule_versions (rule_id, version, name, severity, action, applies_to, condition)
       values ($1, 1, 'Of a test', 'high', $2, array[$3], $4)`,
    [id, action, kind, JSON.stringify(condition)],
  );
  await asOwner(`update aml_rules set status = 'live' where id = $1`, [id]);
  return id;
}

/** Has a reviewer clear every open flag that holds a deposit of coins. */
export async function clearDeposits({ asOwner }: Pick<Bank, 'asOwner'>, reviewer: UserId): Promise<void> {
  await asOwner(
    `select aml_flag_resolve(f.id, 'cleared', $1, 'Looked at well', null)
       from (select x.id from aml_flags x where x.subject_type = 'crypto_deposit' and x.resolved_at is null order by x.id) f`,
    [reviewer],
  );
}
