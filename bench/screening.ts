/** Screening of names: one name against a large list, many names against a few entries, and the memory that a large file takes. */
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProcess } from '../dev/service/process.ts';
import { preparedParty } from '../services/aml/screening.ts';
import { prepareAsked, prepareEntry, type PreparedAsked } from '../domain/matching/compare.ts';
import { listIndex, type ListIndex } from '../domain/matching/list-index.ts';

const ENTRIES = 25_000;
const ASKED = 3_000;
const NAMES = 100_000;
const CHANGED = 50;
const FILE_MEGABYTES = 80;
const THRESHOLD = 70;
const GIVEN =
  'Mohammed Ahmed Ali Hassan Ivan Sergei Olga Elena Juan Maria Carlos Wei Yusuf Khalid Omar Natalia Pedro Anna Jamal Rashid Viktor Andrei Dmitri Tariq Walid Layla Fatima Peter Thomas Laura Daniel Martin Irina Boris Oleg Samir Nasir Bilal Faisal Idris'.split(
    ' ',
  );
const PARTS =
  'ka ri mo sha len dor vik tar bel zu han qa mir osh pet ran dul gor wen lia bro chi fen gul hor ist jun kel lom mab nev ost pra qui rus sto tuv ulm vor wyk xan yel zor ald bis cor dan ers fal'.split(
    ' ',
  );

/** The same numbers in each run. */
function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const details = { birthDates: [], gender: null, nationalities: [], countries: [], identifiers: [] };
const pick = (from: readonly string[], roll: (below: number) => number): string =>
  from[roll(from.length)] ?? '';

function invented(roll: (below: number) => number): string {
  const family = Array.from({ length: 2 + roll(3) }, () => pick(PARTS, roll)).join('');
  return `${pick(GIVEN, roll)} ${roll(2) === 0 ? `${pick(GIVEN, roll)} ` : ''}${family}`;
}

function listOf(entries: number, seed: number): ListIndex<number> {
  const roll = dice(seed);
  const names = () =>
    Array.from({ length: 1 + roll(4) }, () => ({ name: invented(roll), quality: 'alias' as const }));
  return listIndex(
    Array.from(
      { length: entries },
      (_, at) => [at, prepareEntry({ kind: 'person', names: names(), details })] as const,
    ),
  );
}

const asked = (roll: (below: number) => number): PreparedAsked =>
  prepareAsked({ kind: 'person', name: invented(roll), details });

const said = (line: string): void => void process.stdout.write(`screening: ${line}\n`);
const spent = (): number => process.cpuUsage().user / 1000;

/** Prints the figures; nothing but this process takes part. */
export async function benchScreening(): Promise<void> {
  await largeFile();
  const list = listOf(ENTRIES, 1);
  oneName(list);
  everybody(list);
  manyNames(listOf(CHANGED, 2));
}

function oneName(list: ListIndex<number>): void {
  const roll = dice(3);
  const [wall, cpu]: [number[], number[]] = [[], []];
  for (let count = 0; count < ASKED; count++) {
    const [began, user, one] = [performance.now(), spent(), asked(roll)];
    list.find(one, THRESHOLD);
    wall.push(performance.now() - began);
    cpu.push(spent() - user);
  }
  const at = (figures: readonly number[], part: number): string =>
    (figures.toSorted((a, b) => a - b)[Math.floor(figures.length * part)] ?? 0).toFixed(1);
  said(
    `one name against ${ENTRIES} entries: p50 ${at(wall, 0.5)} ms, p99 ${at(wall, 0.99)} ms; of the processor ${at(cpu, 0.5)} and ${at(cpu, 0.99)} ms`,
  );
}

/** A full pass, by a part of its names: half customers, half payees, who may be persons or companies. */
function everybody(list: ListIndex<number>): void {
  const roll = dice(6);
  const began = performance.now();
  for (let count = 0; count < ASKED; count++) {
    const name = invented(roll);
    const asked = count % 2 === 0 ? { kind: 'person' as const, name } : { name };
    for (const prepared of preparedParty(asked)) list.find(prepared, THRESHOLD);
  }
  const minutes = ((performance.now() - began) / ASKED) * (NAMES / 60_000);
  said(`${NAMES} names against ${ENTRIES} entries, by ${ASKED} of them: ${minutes.toFixed(1)} min`);
}

function manyNames(list: ListIndex<number>): void {
  const roll = dice(4);
  const began = performance.now();
  let hits = 0;
  for (let count = 0; count < NAMES; count++) hits += list.find(asked(roll), THRESHOLD).length;
  said(
    `${NAMES} names against ${CHANGED} changed entries: ${((performance.now() - began) / 1000).toFixed(1)} s, ${hits} hits`,
  );
}

/** In a process of its own, with the option under which `npm run lists:load` runs. */
async function largeFile(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'screening-'));
  const path = join(folder, 'large.xml');
  try {
    await write(path);
    await runProcess('bench/large-list.ts', process.env, {
      ...{ name: 'large-list', runFolder: folder, output: 'inherit' },
      ...{ nodeFlags: ['--max-semi-space-size=2'], args: [path] },
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function write(path: string): Promise<void> {
  const roll = dice(5);
  const file = createWriteStream(path);
  let size = 0;
  const put = async (text: string): Promise<void> => {
    size += text.length;
    if (!file.write(text)) await once(file, 'drain');
  };
  await put('<CONSOLIDATED_LIST dateGenerated="2026-01-01T00:00:00.000Z"><INDIVIDUALS>');
  for (let id = 1; size < FILE_MEGABYTES * 1e6; id++) {
    const alias = `<INDIVIDUAL_ALIAS><QUALITY>Good</QUALITY><ALIAS_NAME>${invented(roll)}</ALIAS_NAME></INDIVIDUAL_ALIAS>`;
    await put(
      `<INDIVIDUAL><DATAID>${id}</DATAID><FIRST_NAME>${invented(roll)}</FIRST_NAME>${alias.repeat(4)}<COMMENTS1>${'text '.repeat(100)}</COMMENTS1></INDIVIDUAL>\n`,
    );
  }
  await put('</INDIVIDUALS></CONSOLIDATED_LIST>');
  file.end();
  await once(file, 'finish');
}
