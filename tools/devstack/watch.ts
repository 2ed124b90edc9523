/** Telling when files are saved. */
import { readdirSync, statSync, watch as watchFolder, type FSWatcher } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';

export interface WatchOptions {
  /** Paths are given and told relative to it. */
  readonly root: string;
  /** Folders, watched with all that is in them, and single files. */
  readonly paths: readonly string[];
  /** Told what was saved, each path once, as soon as nothing has been saved for `settleMs`. */
  readonly onSaved: (paths: readonly string[]) => void;
  /** Told why changes of a folder go unseen. */
  readonly onError: (error: unknown) => void;
  readonly settleMs?: number;
}

/** An editor saves in several steps, a formatter once more right after it, and a checkout many files. */
const SETTLE_MS = 150;

/**
 * Watches until it is closed. Each folder has a watcher of its own: Node's recursive one loses sight of a file on Linux
 * as soon as an editor saves it by renaming another over it.
 */
export function watchFiles(options: WatchOptions): { close(): void } {
  const { root, paths, onSaved, onError, settleMs = SETTLE_MS } = options;
  const saved = collect(onSaved, settleMs);
  const watchers = new Map<string, FSWatcher>();

  const follow = (folder: string, only?: string): void => {
    const key = only === undefined ? folder : join(folder, only);
    if (watchers.has(key)) return;
    try {
      const watcher = watchFolder(folder, (_event, name) => {
        if (name === null || isTemporary(name) || (only !== undefined && name !== only)) return;
        const path = join(folder, name);
        if (only === undefined && isFolder(path)) followAll(path);
        saved.add(relative(root, path).replaceAll(sep, '/'));
      });
      const forget = (): void => {
        watcher.close();
        watchers.delete(key);
      };
      // a folder that is removed takes its watcher with it, which must not count as a failure
      watcher.on('error', (error) => {
        forget();
        if (isFolder(folder)) onError(error);
      });
      watchers.set(key, watcher);
    } catch (error) {
      if (isFolder(folder)) onError(error);
    }
  };
  const followAll = (folder: string): void => {
    // what stood here before under the same name is another folder to the system
    watchers.get(folder)?.close();
    watchers.delete(folder);
    follow(folder);
    for (const inner of foldersIn(folder)) followAll(join(folder, inner));
  };

  for (const path of paths.map((name) => join(root, name))) {
    // the folder of a single file, since a watcher of the file itself would stay with what the editor has replaced
    if (isFolder(path)) followAll(path);
    else follow(dirname(path), basename(path));
  }
  return {
    close() {
      saved.clear();
      for (const watcher of watchers.values()) watcher.close();
      watchers.clear();
    },
  };
}

/** Gathers items and hands them over, each once, when none has come for `settleMs`. */
export function collect<Item>(
  handOver: (items: readonly Item[]) => void,
  settleMs: number,
): { add(item: Item): void; clear(): void } {
  const items = new Set<Item>();
  let timer: NodeJS.Timeout | undefined;
  return {
    add(item) {
      items.add(item);
      clearTimeout(timer);
      timer = setTimeout(() => {
        const gathered = [...items];
        items.clear();
        handOver(gathered);
      }, settleMs);
    },
    clear() {
      clearTimeout(timer);
      items.clear();
    },
  };
}

/** What editors and `sed -i` write beside a file while they save it. */
export function isTemporary(name: string): boolean {
  // 4913 is vim's test of whether a folder can be written
  return /^[.#]|~$|\.(swp|swx|tmp)$|___jb_(tmp|old)___$|^sed[A-Za-z0-9]{6}$|^4913$/.test(name);
}

function foldersIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory() && !isTemporary(entry.name)).map(({ name }) => name);
  } catch {
    // it was removed meanwhile
    return [];
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
