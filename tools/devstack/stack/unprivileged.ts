/** PostgreSQL refuses to run as root, so under root (a container, mostly) it gets another user of the machine. */
import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { findOnPath } from '../binaries/acquire.ts';

interface Ids {
  readonly uid: number;
  readonly gid: number;
}

export interface RunAs {
  /** Who must own the files; undefined where this process is not root and everything runs as it is. */
  readonly owner?: Ids;
  /** What `spawn` is to change to, where it is `spawn` that does it. */
  readonly spawnAs?: Ids;
  /** The command line that runs the program as that user. */
  command(file: string, args: readonly string[]): { command: string; args: readonly string[] };
}

/** Chooses the user. `paths` are what the program reads and writes; root's own folders may be closed to others. */
export function runAsUnprivileged(paths: readonly string[]): RunAs {
  const asItIs: RunAs['command'] = (command, args) => ({ command, args });
  if (process.getuid?.() !== 0) return { command: asItIs };
  const owner = idsOf('postgres') ?? idsOf('nobody');
  if (owner === undefined) {
    throw new Error(
      'PostgreSQL refuses to run as root, and there is no user `postgres` or `nobody` to run it as.',
    );
  }
  if (paths.every(othersMayEnter)) return { owner, spawnAs: owner, command: asItIs };
  return { owner, command: (file, args) => throughClosedFolders(owner, file, args) };
}

/** Gives up root for the user but keeps the one right to pass folders closed to others, such as /root. */
function throughClosedFolders(
  user: Ids,
  file: string,
  args: readonly string[],
): { command: string; args: readonly string[] } {
  const setpriv = findOnPath('setpriv');
  if (setpriv === undefined) {
    throw new Error(
      'PostgreSQL refuses to run as root, and another user cannot enter this folder. Move the clone to a folder that ' +
        'others may enter, run as another user, or set DATABASE_URL to a PostgreSQL that runs already.',
    );
  }
  // the last one because access(2) would otherwise answer as if the right were not held
  const rights = [
    '--inh-caps=+dac_override',
    '--ambient-caps=+dac_override',
    '--securebits=+no_setuid_fixup',
  ];
  const who = [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'];
  return { command: setpriv, args: [...who, ...rights, '--', file, ...args] };
}

function othersMayEnter(path: string): boolean {
  for (let folder = path; ; folder = dirname(folder)) {
    const mode = statSync(folder, { throwIfNoEntry: false })?.mode;
    // the program's own folder belongs to the user; what counts is the way there
    if (folder !== path && mode !== undefined && (mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

function idsOf(name: string): Ids | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((text) => text.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}
