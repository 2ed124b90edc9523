/** `npm run bench [transfers|rates|aml|decisions|outages|posting|streams|reads|identity|announcements|screening|ownership|cards|card-files|webhooks …]`: ours beside its floor, in one run, in turn, median and spread of the ratio. */
import { arch, cpus, loadavg, totalmem } from 'node:os';
import { makeCaller } from './stage/caller.ts';
import { benchAml } from './aml.ts';
import { benchAnnouncements } from './announcements.ts';
import { benchCardFiles } from './card-files.ts';
import { benchCards } from './cards.ts';
import { benchDecisions } from './decisions.ts';
import { benchIdentity } from './identity.ts';
import { benchOwnership } from './ownership.ts';
import { benchPosting } from './posting.ts';
import { benchReads } from './reads.ts';
import { benchHistory } from './history.ts';
import { benchOutages } from './outages.ts';
import { openStage } from './stage/stage.ts';
import { benchStreams } from './streams.ts';
import { benchScreening } from './screening.ts';
import { benchStatements } from './statements.ts';
import { benchTransferRates } from './transfer-rates.ts';
import { benchTransfers } from './transfers.ts';
import { benchWebhooks } from './webhooks.ts';

const ROUNDS = 3;
const wanted = process.argv.slice(2);
const includes = (name: string): boolean => wanted.length === 0 || wanted.includes(name);

// these need no other part, so they run before it starts
if (includes('screening')) await benchScreening();
if (includes('ownership')) benchOwnership();
if (wanted.length > 0 && wanted.every((name) => name === 'screening' || name === 'ownership')) process.exit();

const stage = await openStage();
try {
  const caller = await makeCaller(stage);
  process.stdout.write(
    `${cpus().length} × ${cpus()[0]?.model ?? arch()}, ${Math.round(totalmem() / 2 ** 30)} GiB, load ${loadavg()
      .map((load) => load.toFixed(1))
      .join(' ')}, ` +
      `Node ${process.version}, ${ROUNDS} rounds in turn: ours / floor = ratio [least..most]\n`,
  );
  if (includes('transfers')) await benchTransfers(stage, caller, ROUNDS);
  if (includes('rates')) await benchTransferRates(stage, caller, ROUNDS);
  if (includes('aml')) await benchAml(stage);
  if (includes('decisions')) await benchDecisions(stage, caller, ROUNDS);
  if (includes('outages')) await benchOutages(stage, ROUNDS);
  if (includes('posting')) await benchPosting(stage, ROUNDS);
  if (includes('reads')) await benchReads(stage, caller, ROUNDS);
  if (includes('identity')) await benchIdentity(stage, caller, ROUNDS);
  if (includes('streams')) await benchStreams(stage);
  if (includes('announcements')) await benchAnnouncements(stage, caller, ROUNDS);
  if (includes('cards')) await benchCards(stage, ROUNDS);
  if (includes('webhooks')) await benchWebhooks(stage, ROUNDS);
  if (includes('card-files')) await benchCardFiles(stage);
  // last: it leaves ten million entries behind
  if (includes('history')) await benchHistory(stage, caller, ROUNDS);
  if (includes('statements')) await benchStatements(stage, caller, ROUNDS);
  await caller.close();
} finally {
  await stage.close();
}
