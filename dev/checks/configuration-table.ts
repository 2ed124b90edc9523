/** `node dev/run.mjs dev/checks/configuration-table.ts`: writes the README's table of variables from the schema that checks them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { environment } from '../../config.ts';
import { ROOT } from '../service/process.ts';

const README = join(ROOT, 'README.md');
const PLACE = /<!-- configuration -->[\s\S]*<!-- \/configuration -->/;
/** Their defaults are of no use to anybody but a developer's machine. */
const SECRETS = new Set(['ENCRYPTION_KEYS', 'S3_SECRET_KEY']);

/** A line a variable: name, default, meaning. */
export function configurationTable(): string {
  const lines = Object.entries(environment.shape).map(([name, schema]) => {
    const absent = schema.safeParse(undefined);
    const usual = !absent.success
      ? 'required'
      : absent.data === undefined
        ? ''
        : SECRETS.has(name)
          ? 'development only'
          : inCode(absent.data);
    return `| \`${name}\` | ${usual} | ${schema.description ?? ''} |`;
  });
  return ['| variable | default | meaning |', '| --- | --- | --- |', ...lines].join('\n');
}

/** The README with the table of now. */
export function readmeWithTable(): { readonly now: string; readonly wanted: string } {
  const now = readFileSync(README, 'utf8');
  return {
    now,
    wanted: now.replace(
      PLACE,
      () => `<!-- configuration -->\n\n${configurationTable()}\n\n<!-- /configuration -->`,
    ),
  };
}

function inCode(value: unknown): string {
  const text = Array.isArray(value) ? value.join(',') : String(value);
  return text === '' ? '' : `\`${text}\``;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  writeFileSync(README, readmeWithTable().wanted);
