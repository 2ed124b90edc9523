/**
 * Executables in the user's cache folder, outside the clone, one folder a version. A folder appears there whole or not
 * at all, and its manifest holds the size, so that what was cut short later (a full disk) is noticed too.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { chmod, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';

const MANIFEST = 'manifest.json';
const PARTIAL = '.partial-';
const Manifest = z.object({ size: z.number(), sha256: z.string(), from: z.string() });

/** $XDG_CACHE_HOME/teller, or ~/.cache/teller. */
export function cacheRoot(env: NodeJS.ProcessEnv = process.env): string {
  const given = env['XDG_CACHE_HOME'];
  // the specification says that a relative path is to be ignored
  return join(given !== undefined && isAbsolute(given) ? given : join(homedir(), '.cache'), 'teller');
}

/** The executable of that version, if it is there and whole. */
export function findCached(name: string, version: string): string | undefined {
  const folder = join(cacheRoot(), name, version);
  const file = join(folder, name);
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  return size !== undefined && readManifest(folder)?.size === size ? file : undefined;
}

function readManifest(folder: string): z.infer<typeof Manifest> | undefined {
  try {
    return Manifest.parse(JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8')));
  } catch {
    // not there, or itself cut short
    return undefined;
  }
}

/** Fills the cache: `fetch` puts an executable somewhere under the folder it is given and answers its path. */
export async function fillCache(
  name: string,
  version: string,
  from: string,
  fetch: (folder: string) => Promise<string>,
): Promise<string> {
  const shelf = join(cacheRoot(), name);
  const partial = join(shelf, `${PARTIAL}${randomUUID()}`);
  const work = join(partial, 'work');
  mkdirSync(work, { recursive: true });
  try {
    const found = await fetch(work);
    const file = join(partial, name);
    await rename(found, file);
    await chmod(file, 0o755);
    const manifest = { size: statSync(file).size, sha256: await sha256Of(file), from };
    await writeFile(join(partial, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
    await rm(work, { recursive: true, force: true });
    const folder = join(shelf, version);
    await rm(folder, { recursive: true, force: true });
    await rename(partial, folder);
    return join(folder, name);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/** Removes what fetches that were cut short have left; call under the lock of the shelf. */
export async function sweepPartial(name: string): Promise<void> {
  const shelf = join(cacheRoot(), name);
  if (!existsSync(shelf)) return;
  for (const entry of readdirSync(shelf)) {
    if (entry.startsWith(PARTIAL)) await rm(join(shelf, entry), { recursive: true, force: true });
  }
}

/** The SHA-256 of a file, in hexadecimal. */
export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
