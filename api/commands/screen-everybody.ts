/**
 * `npm run screening:full`: compares every customer and payee with all lists in force, and prints how far it is as lines of JSON. Payments
 * go on beside it. A pass that was interrupted goes on where it was; the worker finishes it, too.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { loadConfig } from '../../config.ts';
import { openOrm } from '../../db/orm.ts';
import { runCommand } from './command.ts';
import { beginFullPass, countDueParties } from '../../db/queries/aml/parties.ts';
import { screeningRound } from '../../services/aml/screening-rounds.ts';

const PAUSE_MILLISECONDS = 1_000;

async function main(): Promise<void> {
  const config = loadConfig();
  const orm = openOrm(config);
  const em = () => orm.em.fork();
  const said = (names: number, due: number): void => {
    process.stdout.write(`${JSON.stringify({ names, screened: names - due, due })}\n`);
  };
  const left = async (): Promise<number> => (await countDueParties.one(em())).count;
  try {
    const { count } = await beginFullPass.one(em());
    said(count, count);
    const progress = setInterval(() => void left().then((due) => said(Math.max(count, due), due)), 5_000);
    try {
      // another process may be at it
      while ((await left()) > 0) {
        if (!(await screeningRound({ em, threshold: config.AML_MATCH_THRESHOLD })))
          await wait(PAUSE_MILLISECONDS);
      }
    } finally {
      clearInterval(progress);
    }
    said(count, 0);
  } finally {
    await orm.close(true);
  }
}

await runCommand(main);
