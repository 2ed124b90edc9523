/** The dispute side of the network simulator: it decides claims that the bank has left for it, and tells the bank. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Storage } from '../../adapters/storage.ts';
import type { Config } from '../../config.ts';
import { NETWORK_OUTCOMES } from '../../domain/cards/disputes.ts';
import { CardDisputeId } from '../../domain/ids.ts';
import type { Control } from '../simulators/control.ts';
import type { Fault } from '../simulators/faults.ts';
import { postSigned, textOf, type NetworkDoor } from './door.ts';
import { claimKey } from '../../services/cards/dispute-life.ts';

export const OutcomeWish = z.strictObject({ outcome: z.enum(NETWORK_OUTCOMES) });

const Claim = z.looseObject({ status: z.enum(['filed', 'retracted']) });
type Claim = z.output<typeof Claim>;
const LARGEST_CLAIM = 100_000;
const TRIES = 40;
const PAUSE_MS = 250;
const PATIENCE_MS = 10_000;

interface Needs extends NetworkDoor {
  readonly storage: Pick<Storage, 'content'>;
  readonly config: Pick<Config, 'CARD_FOLDER'>;
  readonly control: Pick<Control, 'faultOf' | 'note'>;
}

export interface Disputes {
  /** Decides a claim; answers it with what the bank has answered. Waits a moment for a claim that was just accepted. */
  decide(id: string, wish: z.output<typeof OutcomeWish>): Promise<Readonly<Record<string, unknown>>>;
}

export function createDisputes({ storage, config, control, ...door }: Needs): Disputes {
  async function claimOf(id: CardDisputeId): Promise<Claim> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const content = await storage.content(claimKey(config, id), LARGEST_CLAIM);
      if (content instanceof Buffer) return Claim.parse(JSON.parse(content.toString()));
      await sleep(PAUSE_MS);
    }
    throw new Error('the bank has left no claim for this dispute');
  }
  async function tell(outcome: object, fault: Fault | undefined): Promise<string> {
    if (fault !== undefined && fault !== 'timeout_after_commit') throw new Error(`it was not told: ${fault}`);
    const response = await postSigned(door, outcome, AbortSignal.timeout(PATIENCE_MS));
    if (fault === undefined) return textOf(response);
    await response.text();
    throw new Error('the answer of the bank was lost');
  }
  return {
    async decide(name, { outcome }) {
      const id = CardDisputeId.parse(name);
      const claim = await claimOf(id);
      const fault = control.faultOf('dispute');
      const told = { dispute_id: id, outcome };
      try {
        const answer = z.looseObject({}).parse(JSON.parse(await tell(told, fault)));
        control.note('dispute', { claim, told, answer }, fault);
        return { claim, answer };
      } catch (error) {
        control.note('dispute', { claim, told, answer: String(error) }, fault);
        throw error;
      }
    },
  };
}
