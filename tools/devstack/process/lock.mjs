/**
 * A lock between processes on one machine: a folder, since making one is atomic everywhere. The owner is written
 * into it, so a lock whose owner died is taken over. Plain JavaScript: the bootstrap installs under it.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startOf, stillRuns } from './identity.mjs';

/** A folder without an owner is one whose maker is between two calls, or died there. */
const OWNERLESS_MS = 5_000;

/** Takes the lock if it is free and answers how to give it back; otherwise answers the number of the owner. */
export function tryLock(folder) {
  mkdirSync(dirname(folder), { recursive: true });
  for (;;) {
    if (make(folder)) {
      const owner = join(folder, 'owner');
      writeFileSync(`${owner}.new`, JSON.stringify({ pid: process.pid, start: startOf(process.pid) }));
      renameSync(`${owner}.new`, owner);
      return { taken: true, release: () => rmSync(folder, { recursive: true, force: true }) };
    }
    const holder = ownerOf(folder);
    if (holder === 'gone') continue;
    if (holder !== 'dead') return { taken: false, owner: holder };
    takeAway(folder);
  }
}

/** Runs `work` under the lock, waiting for it first; `waiting` is told once whom it waits for. */
export async function withLock(folder, waiting, work) {
  let lock = tryLock(folder);
  if (!lock.taken) waiting(lock.owner);
  while (!lock.taken) {
    await sleep(200);
    lock = tryLock(folder);
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}

function make(folder) {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** The owner's number, `dead`, or `gone` where the lock was given back meanwhile. */
function ownerOf(folder) {
  try {
    const { pid, start } = JSON.parse(readFileSync(join(folder, 'owner'), 'utf8'));
    return stillRuns(pid, start) ? pid : 'dead';
  } catch {
    const age = statSync(folder, { throwIfNoEntry: false })?.mtimeMs;
    if (age === undefined) return 'gone';
    return Date.now() - age > OWNERLESS_MS ? 'dead' : 0;
  }
}

/** Two that find the same dead owner must not remove each other's new lock, so removing has a lock of its own. */
function takeAway(folder) {
  const grave = `${folder}.taking-over`;
  if (!make(grave)) {
    const age = statSync(grave, { throwIfNoEntry: false })?.mtimeMs;
    if (age !== undefined && Date.now() - age > OWNERLESS_MS) rmSync(grave, { recursive: true, force: true });
    return;
  }
  try {
    if (ownerOf(folder) === 'dead') rmSync(folder, { recursive: true, force: true });
  } finally {
    rmdirSync(grave);
  }
}
