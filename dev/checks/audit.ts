/**
 * Asks the package registry for known vulnerabilities of what goes into production. High and critical ones fail; a
 * registry that does not answer the question is said so and does not, or a mirror would keep everybody from building.
 */
import { spawnSync } from 'node:child_process';
import { z } from 'zod';
import { ROOT } from '../service/process.ts';

const Report = z.object({
  vulnerabilities: z.record(z.string(), z.object({ severity: z.string(), range: z.string() })),
});
const Refusal = z.object({ message: z.string() });

const { stdout, stderr } = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
  cwd: ROOT,
  encoding: 'utf8',
  timeout: 120_000,
});
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const answer = parse(stdout);
const report = Report.safeParse(answer);
if (report.success) {
  const found = Object.entries(report.data.vulnerabilities);
  const grave = found.filter(([, { severity }]) => severity === 'high' || severity === 'critical');
  for (const [name, { severity, range }] of found) say(`  ${severity}: ${name} ${range}`);
  say(`${found.length} packages of production are known to be vulnerable, ${grave.length} of them gravely.`);
  if (grave.length > 0) process.exitCode = 1;
} else {
  const reason = Refusal.safeParse(answer);
  const why = reason.success
    ? reason.data.message.split(' - ')[0]
    : (stderr.trim().split('\n').pop() ?? 'no answer');
  say(`NOT AUDITED: the package registry does not say which packages are vulnerable (${why}).`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
