/** Tells everything about a transfer, a ticket, an account request or a change, from the rows and from Temporal, and says what is missing. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import type { Cipher } from '../../../adapters/cipher.ts';
import { processHistory } from '../../../adapters/process-history.ts';
import type { Temporal } from '../../../adapters/temporal.ts';
import { subjectById, subjectsOfRequest, type TracedSubject } from '../../../db/queries/platform/trace.ts';
import { TransferId } from '../../../domain/ids.ts';
import { processUrl, type WebUi } from '../web-ui.ts';
import { rowStory, type RowStory, type TraceLine } from './rows.ts';

export interface TraceDeps {
  readonly db: () => EntityManager;
  readonly temporal: Pick<Temporal, 'client' | 'within'>;
  readonly cipher: Cipher;
  readonly config: WebUi;
  /** How long Temporal is waited for; 10 s unless given. */
  readonly temporalMilliseconds?: number;
}

export interface Traced {
  readonly text: string;
  /** Every part has answered, and something was found. */
  readonly isWhole: boolean;
}

/** `id` is that of a resource, a process or a request. */
export async function trace(deps: TraceDeps, id: string): Promise<Traced> {
  const missing: string[] = [];
  const subjects = await orMissing(missing, 'The database', () => subjectsOf(deps.db(), id));
  const stories: string[] = [];
  for (const subject of subjects ?? []) {
    const rows = await orMissing(missing, 'The database', () => rowStory(deps.db(), subject));
    if (rows !== undefined) stories.push(await whole(deps, rows, missing));
  }
  // without its rows a process can still be told of, if the id is its own
  if (subjects === undefined && id.includes('/'))
    stories.push(await whole(deps, { heading: id, workflowId: id, lines: [] }, missing));
  if (stories.length === 0 && missing.length === 0)
    missing.push(
      `Nothing is known of ${id}: no transfer, ticket, account request or change, and no request that made or decided one.`,
    );
  const notes = [...new Set(missing)].map((note) => `missing: ${note}`);
  return { text: `${[...stories, ...notes].join('\n\n')}\n`, isWhole: missing.length === 0 };
}

/** What an id stands for; a request may have to do with several things. */
async function subjectsOf(db: EntityManager, id: string): Promise<readonly TracedSubject[]> {
  const named = z.uuid().safeParse(id.slice(id.lastIndexOf('/') + 1)).data;
  const found =
    named === undefined ? undefined : await subjectById.first(db, { id: TransferId.parse(named) });
  return found === undefined ? subjectsOfRequest.all(db, { request: id }) : [found];
}

async function whole(
  deps: TraceDeps,
  { heading, workflowId, lines }: RowStory,
  missing: string[],
): Promise<string> {
  const { temporal, cipher, config, temporalMilliseconds = 10_000 } = deps;
  const history = await orMissing(missing, 'Temporal', () =>
    temporal.within(
      temporalMilliseconds,
      async () => (await processHistory(temporal, cipher, workflowId)) ?? null,
    ),
  );
  const status =
    history === undefined
      ? 'not known, see below'
      : (history?.status ?? 'none: it ended at once, or its history is kept no longer');
  const happened: TraceLine[] = (history?.happenings ?? []).map((happening) => ({
    ...happening,
    from: 'process',
  }));
  const inOrder = [...lines, ...happened].toSorted((one, other) => one.at.getTime() - other.at.getTime());
  return [
    heading,
    `process ${workflowId}: ${status}`,
    `        ${processUrl(config, workflowId)}`,
    '',
    ...inOrder.map(({ at, from, what }) => `${at.toISOString()}  ${from.padEnd(8)}  ${what}`),
  ].join('\n');
}

/** Notes that a part did not answer, and goes on without it. */
async function orMissing<T>(missing: string[], part: string, ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    missing.push(`${part} does not answer (${nameOf(error)}), and what it knows is not here.`);
    return undefined;
  }
}

const Failed = z.looseObject({ name: z.string(), code: z.union([z.string(), z.number()]).optional() });

function nameOf(error: unknown): string {
  const { name, code } = Failed.safeParse(error).data ?? { name: 'unknown error', code: undefined };
  return code === undefined ? name : `${name} ${String(code)}`;
}
