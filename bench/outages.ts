/** How long transfers and decisions take while a part hangs or is away, beside the same a moment before. Nothing of theirs needs it. */
import type { AccountId } from '../domain/ids.ts';
import { compare, drive, type Comparison, type Sample } from './measure.ts';
import { deciding, pendingTransfers } from './stage/deciding.ts';
import { openOutages } from './stage/outages.ts';
import { paying } from './stage/paying.ts';
import type { Stage } from './stage/stage.ts';

const CALLERS = 8;
const SECONDS = 5;
const SECONDS_OF_DECISIONS = 8;
/** More than one administrator decides in a round. */
const DECISIONS_A_ROUND = 300;

export async function benchOutages(stage: Stage, rounds: number): Promise<Comparison[]> {
  const { api, customer, admin, accounts, outages, started, close } = await openOutages(stage);
  const any = (): AccountId => accounts[Math.floor(Math.random() * accounts.length)] ?? customer.source;

  const transfers = async (): Promise<Sample> =>
    drive(CALLERS, SECONDS, await paying(api, customer, { payer: any, payee: any }));

  const decisions = async (): Promise<Sample> => {
    const pending = await pendingTransfers(api, customer, DECISIONS_A_ROUND);
    await started(pending);
    return drive(1, SECONDS_OF_DECISIONS, await deciding(api, admin, pending));
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
