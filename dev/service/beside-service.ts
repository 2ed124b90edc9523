/** `beside-service.ts SCRIPT …`: runs an operator's command against the database given, or that of the service that `npm start` runs. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from './process.ts';
import { besideService } from './service-env.ts';

const [script, ...rest] = process.argv.slice(2);
if (script === undefined) throw new Error('beside-service.ts wants the script to run');
Object.assign(process.env, besideService(process.env));
const path = join(ROOT, script);
process.argv = [process.execPath, path, ...rest];
await import(pathToFileURL(path).href);
