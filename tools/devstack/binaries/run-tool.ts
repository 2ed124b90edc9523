/** Runs a tool that fetches or builds, with a deadline and with signs of life, and says why it failed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

export type Say = (line: string) => void;

export interface ToolRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly withinMs: number;
  readonly say: Say;
}

const SIGN_OF_LIFE_MS = 10_000;

/** Answers the tool's standard output; throws with the last lines it wrote where it fails or takes too long. */
export async function runTool(run: ToolRun): Promise<string> {
  const begun = performance.now();
  const child = spawn(run.command, run.args, {
    cwd: run.cwd,
    env: { ...process.env, ...run.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: run.withinMs,
    killSignal: 'SIGKILL',
  });
  let output = '';
  let complaint = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(-4_000)));
  const life = setInterval(() => {
    run.say(`  … still at it after ${Math.round((performance.now() - begun) / 1000)} s`);
  }, SIGN_OF_LIFE_MS);
  const stopWithUs = (): boolean => child.kill('SIGKILL');
  process.once('exit', stopWithUs);
  try {
    await once(child, 'close');
  } finally {
    clearInterval(life);
    process.off('exit', stopWithUs);
  }
  if (child.exitCode === 0) return output;
  throw new Error(reasonOf(child.signalCode, run.withinMs, `${output}\n${complaint}`));
}

function reasonOf(signal: NodeJS.Signals | null, withinMs: number, text: string): string {
  if (signal !== null) return `it did not end within ${Math.round(withinMs / 1000)} s`;
  const lines = text.split('\n').map((line) => line.trim());
  const telling = lines.filter((line) => line !== '').slice(-3);
  return telling.join(' | ') || 'it failed without a word';
}
