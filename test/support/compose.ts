/** Reads docker-compose.yml as far as tests need it: the lines of a service, and the environment that it gives. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../dev/service/process.ts';

const lines = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8').split('\n');
const indentOf = (line: string): number => line.search(/\S/);

/** The lines below this one that are indented further, without comments. */
function below(at: number): string[] {
  const from = lines[at];
  if (from === undefined || at < 0) throw new Error('docker-compose.yml has no such line');
  const rest = lines.slice(at + 1);
  const end = rest.findIndex((line) => line.trim() !== '' && indentOf(line) <= indentOf(from));
  return rest.slice(0, end < 0 ? undefined : end).filter((line) => !/^\s*(#|$)/.test(line));
}

/** The text of a part, such as the service `api` or the configuration `prometheus`. */
export function textOf(part: string, section: 'services' | 'configs' = 'services'): string {
  const start = lines.indexOf(`${section}:`);
  return below(lines.findIndex((line, at) => at > start && line === `  ${part}:`)).join('\n');
}

/** What a service has in its environment, anchors included; null if the value comes from .env alone. */
export function environmentOf(service: string): Readonly<Record<string, string | null>> {
  const start = lines.indexOf('services:');
  const at = lines.findIndex((line, index) => index > start && line === `  ${service}:`);
  const inner = lines.findIndex((line, index) => index > at && line === '    environment:');
  return mapping(below(inner));
}

function mapping(entries: readonly string[]): Record<string, string | null> {
  const found: Record<string, string | null> = {};
  for (const entry of entries) {
    const [, name = '', value = ''] = /^\s*(\S+?):\s*(.*)$/.exec(entry) ?? [];
    if (name !== '<<') found[name] = value === '' ? null : value.replace(/^'(.*)'$/, '$1');
    else
      for (const [, anchor = ''] of value.matchAll(/\*(\w+)/g))
        Object.assign(found, mapping(below(lines.findIndex((line) => line.endsWith(`&${anchor}`)))), {
          ...found,
        });
  }
  return found;
}
