/** `node dev/run.mjs dev/checks/configuration-table.ts`: writes the table in docs/configuration.md from the schema that checks the variables. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { environment } from '../../environment.ts';
import { ROOT } from '../service/process.ts';

const PAGE = join(ROOT, 'docs/configuration.md');
const PLACE = /<!-- configuration -->[\s\S]*<!-- \/configuration -->/;
/** Defaults that only a developer's machine accepts. */
const SECRETS = new Set(['ENCRYPTION_KEYS', 'CARD_KEYS', 'S3_SECRET_KEY']);

/** One line for each variable: name, default, meaning. */
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

/** The page as it is, and as it is with the present table. */
export function pageWithTable(): { readonly now: string; readonly wanted: string } {
  const now = readFileSync(PAGE, 'utf8');
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
  writeFileSync(PAGE, pageWithTable().wanted);
