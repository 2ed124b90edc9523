/** The story of every operation. One that is declared without a story fails `contract.test.ts`. */
import { accounts } from './stories/accounts.ts';
import { adminIdentity } from './stories/admin-identity.ts';
import { aml } from './stories/aml.ts';
import { cardChallenges } from './stories/card-challenges.ts';
import { cardDisputes } from './stories/card-disputes.ts';
import { cards } from './stories/cards.ts';
import { changes } from './stories/changes.ts';
import { crypto } from './stories/crypto.ts';
import { fees } from './stories/fees.ts';
import { identity } from './stories/identity.ts';
import { kyb } from './stories/kyb.ts';
import { kyc } from './stories/kyc.ts';
import { money } from './stories/money.ts';
import { notifications } from './stories/notifications.ts';
import { platform } from './stories/platform.ts';
import { reads } from './stories/reads.ts';
import { screening } from './stories/screening.ts';
import { statements } from './stories/statements.ts';
import { tickets } from './stories/tickets.ts';
import type { Stories } from './story.ts';

export const stories: Stories = {
  ...platform,
  ...reads,
  ...identity,
  ...adminIdentity,
  ...changes,
  ...money,
  ...fees,
  ...accounts,
  ...cards,
  ...cardChallenges,
  ...cardDisputes,
  ...statements,
  ...tickets,
  ...notifications,
  ...aml,
  ...screening,
  ...kyb,
  ...kyc,
  ...crypto,
};
