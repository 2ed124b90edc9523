/** Settings of the sandbox custodian: ports, data folder, API user and the receiver of webhooks. */
import { resolve } from 'node:path';
import { z } from 'zod';
import { environment } from '../../environment.ts';

/** The id of the API user, which is no secret. */
export const SANDBOX_API_KEY = 'teller-sandbox';

const port = (usual: number): z.ZodType<number> => z.coerce.number().int().min(0).max(65_535).default(usual);

const Settings = z.object({
  ...environment.pick({ NODE_ENV: true, LOG_LEVEL: true }).shape,
  CUSTODIAN_PORT: port(7072),
  CUSTODIAN_CONTROL_PORT: port(7073),
  CUSTODIAN_DATA: z
    .string()
    .default('.data/custodian')
    .transform((path) => resolve(path)),
  CUSTODIAN_API_KEY: z.string().min(1).default(SANDBOX_API_KEY),
  /** Receiver of webhooks; without it none are sent. */
  CUSTODIAN_WEBHOOK_URL: z.url({ protocol: /^https?$/ }).optional(),
});
export type Settings = z.output<typeof Settings>;

/** Reads the settings; throws in production. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const given = Object.entries(env).filter(([, value]) => value !== '');
  const settings = Settings.parse(Object.fromEntries(given));
  if (settings.NODE_ENV === 'production') throw new Error('the sandbox custodian is not for production');
  return settings;
}
