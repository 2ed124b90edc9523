/** How long transfers and decisions take while a part hangs or is away, beside the same a moment before. Nothing of theirs needs it. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { AccountId } from '../domain/ids.ts';
import { compare, drive, type Comparison, type Sample } from './measure.ts';
import { openOutages } from './stage/outages.ts';
import { call, paying } from './stage/paying.ts';
import type { Stage } from './stage/stage.ts';

const CALLERS = 8;
const SECONDS = 5;
const SECONDS_OF_DECISIONS = 8;
/** More than one administrator decides in a round. */
const DECISIONS_A_ROUND = 300;
const ORDERS_AT_ONCE = 8;
const ATTEMPTS = 8;

const Made = z.looseObject({ id: z.uuid(), status: z.literal('pending_approval') });

export async function benchOutages(stage: Stage, rounds: number): Promise<Comparison[]> {
  const { api, customer, admin, accounts, outages, started, close } = await openOutages(stage);
  const any = (): AccountId => accounts[Math.floor(Math.random() * accounts.length)] ?? customer.source;

  const transfers = async (): Promise<Sample> =>
    drive(CALLERS, SECONDS, await paying(api, customer, { payer: any, payee: any }));

  /** Above the threshold of its type, so it waits for an administrator. */
  const largeTransfer = async (): Promise<string> => {
    const { source, destination } = customer;
    const body = {
      source_account_id: source,
      destination: { account_id: destination },
      amount: { amount: '15000.00', currency: 'EUR' },
    };
    const headers = {
      authorization: `Bearer ${await customer.freshToken()}`,
      'idempotency-key': randomUUID(),
      'x-step-up-token': await customer.stepUp(body),
    };
    const { text } = await call(new URL('/v1/transfers', api), headers, body);
    return Made.parse(JSON.parse(text)).id;
  };

  const decisions = async (): Promise<Sample> => {
    const pending: string[] = [];
    while (pending.length < DECISIONS_A_ROUND)
      pending.push(...(await Promise.all(Array.from({ length: ORDERS_AT_ONCE }, largeTransfer))));
    await started();
    const authorization = `Bearer ${await admin.freshToken()}`;
    return drive(1, SECONDS_OF_DECISIONS, async () => {
      const url = new URL(`/v1/admin/transfers/${pending.shift() ?? 'none'}/execute`, api);
      const headers = { authorization, 'idempotency-key': randomUUID() };
      let answer = await call(url, headers, {});
      // as the answer asks; it costs latency here too
      for (let attempt = 1; answer.status === 503 && attempt < ATTEMPTS; attempt++)
        answer = await call(url, headers, {});
      if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    });
  };

  const results: Comparison[] = [];
  try {
    await transfers();
    await decisions();
    for (const { name, reach, begin } of outages) {
      const loads = { transfers, ...(reach === 'transfers and decisions' ? { decisions } : {}) };
      for (const [what, load] of Object.entries(loads)) {
        const during = async (): Promise<Sample> => {
          const end = await begin();
          try {
            return await load();
          } finally {
            await end();
          }
        };
        results.push(await compare(`${what}, ${name} / quiet`, rounds, during, load));
      }
    }
    return results;
  } finally {
    await close();
  }
}
