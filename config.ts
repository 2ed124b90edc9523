/** The service's configuration: read once from the environment, validated, typed. Every process calls `loadConfig`. */
import type { z } from 'zod';
import { ibanOf, type IbanIssuer } from './domain/standards/iban.ts';
import { DEVELOPMENT_ENCRYPTION_KEYS, DEVELOPMENT_S3_SECRET, environment } from './environment.ts';

export type Config = Readonly<z.output<typeof environment>> & { readonly publicUrl: string };

/** What the bank's IBANs are made of. */
export function issuerOf(config: Pick<Config, 'BANK_COUNTRY' | 'BANK_CODE'>): IbanIssuer {
  return { country: config.BANK_COUNTRY, bankCode: config.BANK_CODE };
}

/** What of the bank its database holds. */
export interface StoredBank {
  readonly issuer: IbanIssuer;
  readonly baseCurrency: string;
  readonly timeZone: string;
  /** How far the clocks of the database and of a process may be apart. */
  readonly clockToleranceSeconds: number;
}

const stored = environment.pick({
  BANK_COUNTRY: true,
  BANK_CODE: true,
  BANK_BASE_CURRENCY: true,
  BANK_TIME_ZONE: true,
  CLOCK_TOLERANCE_SECONDS: true,
});

/** The settings of the bank that its database holds, for programs that need no others. Throws ConfigError. */
export function loadStoredBank(env: NodeJS.ProcessEnv = process.env): StoredBank {
  const names = Object.keys(stored.shape);
  const parsed = stored.safeParse(Object.fromEntries(names.map((name) => [name, env[name] || undefined])));
  if (!parsed.success)
    throw new ConfigError(`The configuration is not usable:\n  one of ${names.join(', ')}`);
  requireIbans(parsed.data);
  return {
    issuer: issuerOf(parsed.data),
    baseCurrency: parsed.data.BANK_BASE_CURRENCY,
    timeZone: parsed.data.BANK_TIME_ZONE,
    clockToleranceSeconds: parsed.data.CLOCK_TOLERANCE_SECONDS,
  };
}

/** Reads and checks the environment. Throws one readable error that names every wrong or missing variable. */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const known = Object.fromEntries(
    Object.keys(environment.shape).map((name) => [name, env[name] === '' ? undefined : env[name]]),
  );
  const parsed = environment.safeParse(known);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
    throw new ConfigError(`The configuration is not usable:\n${faults.join('\n')}`);
  }
  refuseDevelopmentSecrets(parsed.data);
  requireIbans(parsed.data);
  requireWholePair(parsed.data);
  return {
    ...parsed.data,
    publicUrl: parsed.data.PUBLIC_URL ?? `http://${parsed.data.HOST}:${parsed.data.PORT}`,
  };
}

/** The environment cannot be used; the message is for the operator. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Production with a published key would be no protection at all, so it does not start. */
function refuseDevelopmentSecrets(config: z.output<typeof environment>): void {
  if (config.NODE_ENV === 'development') return;
  const faults: string[] = [];
  if (config.ENCRYPTION_KEYS.includes(DEVELOPMENT_ENCRYPTION_KEYS)) faults.push('ENCRYPTION_KEYS');
  if (config.S3_SECRET_KEY === DEVELOPMENT_S3_SECRET) faults.push('S3_SECRET_KEY');
  if (faults.length > 0) {
    throw new ConfigError(
      `The configuration is not usable:\n${faults.map((name) => `  ${name}: set a secret of your own outside NODE_ENV=development`).join('\n')}`,
    );
  }
}

/** A certificate without its key, or a key without its certificate, would be ignored silently. */
function requireWholePair(config: Pick<Config, 'TEMPORAL_TLS_CERT' | 'TEMPORAL_TLS_KEY'>): void {
  if ((config.TEMPORAL_TLS_CERT === undefined) === (config.TEMPORAL_TLS_KEY === undefined)) return;
  const missing = config.TEMPORAL_TLS_CERT === undefined ? 'TEMPORAL_TLS_CERT' : 'TEMPORAL_TLS_KEY';
  throw new ConfigError(`The configuration is not usable:\n  ${missing}: set both, or neither`);
}

/** A bank whose code does not fit its country's IBANs could open no account, so it does not start. */
function requireIbans(bank: Pick<Config, 'BANK_COUNTRY' | 'BANK_CODE'>): void {
  const someAccount = '100000000190';
  try {
    ibanOf(issuerOf(bank), someAccount);
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    throw new ConfigError(`The configuration is not usable:\n  BANK_CODE: ${why}`, { cause: error });
  }
}
