/** `npm run demo [-- customers] [--seed number]`: fills a bank that `npm start` runs, so that there is something to look at. */
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { serviceAddresses } from '../client/addresses.ts';
import { demoAdmins } from '../seed/demo-users.ts';
import { fillBank, type Filled } from './fill.ts';
import { MOST_PEOPLE } from './people.ts';
import { counts, guide } from './report.ts';

const USAGE = `Usage: npm run demo -- [customers, 2 to ${MOST_PEOPLE}] [--seed number]`;
const whole = (least: number, most: number) => z.coerce.number().int().min(least).max(most);
const Arguments = z.object({ count: whole(2, MOST_PEOPLE), seed: whole(1, 9_999) });

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const service = serviceAddresses(process.env);

const wanted = read(process.argv.slice(2));
if (wanted === undefined) {
  say(USAGE);
  process.exitCode = 2;
} else {
  try {
    const begun = performance.now();
    const timeZone = process.env['BANK_TIME_ZONE'] ?? 'Europe/Berlin';
    const filled = await fillBank({ service, admins: demoAdmins, timeZone, say, ...wanted });
    if (filled.known > 0) sayKnown(filled, wanted);
    else say(`\n${counts(filled)}\n\n  Made in ${((performance.now() - begun) / 1000).toFixed(1)} s.`);
    if (filled.known === 0 || filled.known === filled.people.length)
      say(guide(filled.people, demoAdmins, service.inbox));
  } catch (error) {
    say(`\nThe demo ends here: ${error instanceof Error ? error.message : String(error)}`);
    say(`Is the service running (npm start, NODE_ENV=development) at ${service.api}?`);
    say(`If it is, the customers made so far stay. ${startAgain(wanted)}`);
    process.exitCode = 1;
  }
}

function read(args: string[]): z.output<typeof Arguments> | undefined {
  try {
    const options = { seed: { type: 'string', default: '1' } } as const;
    const { positionals, values } = parseArgs({ args, options, allowPositionals: true });
    const [count = '50', ...more] = positionals;
    return more.length > 0 ? undefined : Arguments.safeParse({ count, seed: values.seed }).data;
  } catch {
    return undefined;
  }
}

function sayKnown({ known, people }: Filled, asked: { count: number; seed: number }): void {
  say(
    `This bank already has ${known} of the ${people.length} customers of seed ${asked.seed}; nothing was done.`,
  );
  say(`If an earlier run was cut off, some of their stories are missing. ${startAgain(asked)}`);
  if (known < people.length) process.exitCode = 1;
}

/** A demo is made in one go: what another run would have to add to a part of it cannot be told from the API. */
function startAgain({ count, seed }: { count: number; seed: number }): string {
  return `For other customers beside them: npm run demo -- ${count} --seed ${seed + 1}. For an empty bank: stop the service, remove its data folder (.data), start it again.`;
}
