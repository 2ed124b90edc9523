/** Challenges as the wire shows them. */
import type { z } from 'zod';
import type { ChallengeRow } from '../../../db/queries/cards/authentications.ts';
import { moneyIn } from '../../../domain/money.ts';
import { viewOf } from '../../wire/rows.ts';
import * as wire from './schemas.ts';

const view = viewOf(wire.CardChallenge);

/** A challenge as its holder sees it. */
export function challengeView({ asset, amount, ...row }: ChallengeRow): z.output<typeof wire.CardChallenge> {
  return view({ ...row, amount: moneyIn(asset)(amount) });
}
