/**
 * Preloaded into every script that `dev/run.mjs` starts: when that parent dies without a word (kill -9), the script
 * is told to end, so nothing runs on unseen. Looking at the parent's number works on every system and needs no pipe.
 */
import { isMainThread } from 'node:worker_threads';

const EVERY_MS = 500;
const PATIENCE_MS = 30_000;

if (isMainThread) {
  const parent = Number(process.env['TELLER_RUN_PID'] ?? process.ppid);
  // children of this script have parents of their own
  delete process.env['TELLER_RUN_PID'];
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), PATIENCE_MS).unref();
    process.kill(process.pid, 'SIGTERM');
  }, EVERY_MS);
  watch.unref();
}
