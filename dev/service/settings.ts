/** What `npm start` reads from the environment for itself: where data goes, and the ports of the parts. */
import { resolve } from 'node:path';
import { z } from 'zod';
import { environment } from '../../environment.ts';
import { SANDBOX_API_KEY } from '../custodian/settings.ts';
import { isFree } from '../../tools/devstack/process/ports.ts';
import { ROOT } from './process.ts';
import { REPLACED_BY } from '../../tools/devstack/stack/stack.ts';

const port = (usual: number): z.ZodType<number> => z.coerce.number().int().min(1).max(65_535).default(usual);

const settings = z.object({
  HOST: environment.shape.HOST,
  DATA_DIR: z
    .string()
    .default('.data')
    .transform((path) => resolve(ROOT, path)),
  PORT: port(3000),
  POSTGRES_PORT: port(5433),
  TEMPORAL_PORT: port(7233),
  TEMPORAL_UI_PORT: port(8233),
  S3_PORT: port(7070),
  SMTP_PORT: port(1025),
  INBOX_PORT: port(1080),
  INBOUND_SMTP_PORT: port(1026),
  RAIL_PORT: port(7075),
  CARD_NETWORK_PORT: port(7071),
  CUSTODIAN_PORT: port(7072),
  CUSTODIAN_CONTROL_PORT: port(7073),
  CUSTODIAN_URL: environment.shape.CUSTODIAN_URL,
  CUSTODIAN_API_KEY: z.string().default(SANDBOX_API_KEY),
  CUSTODIAN_WEBHOOK_URL: z.url({ protocol: /^https?$/ }).optional(),
  PRICES_PORT: port(7074),
  PRICE_SOURCES: environment.shape.PRICE_SOURCES,
  PRICE_POLL_SECONDS: z.string().default('2'),
  CRYPTO_RECONCILE_SECONDS: z.string().default('5'),
  INSPECT_API_PORT: port(9229),
  INSPECT_WORKER_PORT: port(9230),
  RAIL_SANDBOX: z
    .enum(['true', 'false'])
    .default('true')
    .transform((text) => text === 'true'),
});
export type Settings = z.output<typeof settings>;
type PortName = Extract<keyof Settings, `${string}PORT`>;

/** Reads the settings; throws one error that names every variable that cannot be used. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const parsed = settings.safeParse(
    Object.fromEntries(Object.entries(env).filter(([, value]) => value !== '')),
  );
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`The configuration is not usable:\n${faults.join('\n')}`);
}

/** What is wrong with the ports that are to be listened on here, a line each; those of debuggers only where they are asked for. */
export async function unusablePorts(
  config: Settings,
  env: NodeJS.ProcessEnv,
  inspect = false,
): Promise<string[]> {
  const elsewhere: PortName[] = Object.entries(REPLACED_BY).flatMap(([variable, ports]) =>
    env[variable] ? [...ports] : [],
  );
  if (!config.RAIL_SANDBOX) elsewhere.push('RAIL_PORT');
  if (config.CUSTODIAN_URL !== undefined) elsewhere.push('CUSTODIAN_PORT', 'CUSTODIAN_CONTROL_PORT');
  if (config.PRICE_SOURCES !== undefined) elsewhere.push('PRICES_PORT');
  const names = Object.keys(config)
    .filter((name): name is PortName => name.endsWith('PORT'))
    .filter((name) => inspect || !name.startsWith('INSPECT_'))
    .filter((name) => !elsewhere.includes(name));
  const faults: string[] = [];
  const seen = new Map<number, string>();
  for (const name of names) {
    const number = config[name];
    const twin = seen.get(number);
    if (twin !== undefined)
      faults.push(`${number} is asked for twice: set ${twin} or ${name} to another one`);
    else if (!(await isFree(number))) faults.push(`${number} is taken: set ${name} to another one`);
    seen.set(number, name);
  }
  return faults;
}
