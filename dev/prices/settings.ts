/** Settings of the sandbox of price sources. */
import { z } from 'zod';
import { environment } from '../../environment.ts';

const Settings = z.object({
  ...environment.pick({ NODE_ENV: true, LOG_LEVEL: true }).shape,
  PRICES_PORT: z.coerce.number().int().min(0).max(65_535).default(7074),
});
export type Settings = z.output<typeof Settings>;

/** Reads the settings; throws in production. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const given = Object.entries(env).filter(([, value]) => value !== '');
  const settings = Settings.parse(Object.fromEntries(given));
  if (settings.NODE_ENV === 'production')
    throw new Error('the sandbox of price sources is not for production');
  return settings;
}
