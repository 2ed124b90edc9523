/** The service's configuration: read once from the environment, validated, typed. Every process calls `loadConfig`. */
import { accessSync, constants } from 'node:fs';
import type { z } from 'zod';
import { DEVELOPMENT_CARD_NETWORK_KEYS, DEVELOPMENT_CARD_PIN_KEYS } from './card-settings.ts';
import type { Chains } from './domain/addresses/address.ts';
import { misspelt } from './domain/misspelt.ts';
import { ibanOf, type IbanIssuer } from './domain/standards/iban.ts';
import {
  DEVELOPMENT_CARD_KEYS,
  DEVELOPMENT_ENCRYPTION_KEYS,
  DEVELOPMENT_S3_SECRET,
  DEVELOPMENT_VAPID_KEY,
  environment,
} from './environment.ts';

export type Config = Readonly<z.output<typeof environment>> & {
  readonly publicUrl: string;
  /** None if the network is not known: then no message is taken. */
  readonly CARD_NETWORK_KEYS: readonly string[];
  readonly CARD_PIN_KEYS: readonly string[];
};

/** What the bank's IBANs are made of. */
export function issuerOf(config: Pick<Config, 'BANK_COUNTRY' | 'BANK_CODE'>): IbanIssuer {
  return { country: config.BANK_COUNTRY, bankCode: config.BANK_CODE };
}

/** What of the bank its database holds. */
export interface StoredBank {
  readonly issuer: IbanIssuer;
  readonly baseCurrency: string;
  readonly timeZone: string;
  /** When its people work: `Mon-Fri 09:00-17:00`. */
  readonly businessHours: string;
  /** Whose public holidays count, ISO 3166-1 alpha-2. */
  readonly country: string;
  /** How far the clocks of the database and of a process may be apart. */
  readonly clockToleranceSeconds: number;
  /** Whether its clock may be moved: in development only. */
  readonly clockMoves: boolean;
  /** How customers are rated, and when their identity is checked again. */
  readonly customers: Pick<
    Config,
    'KYC_REVIEW_YEARS' | 'KYC_RENEWAL_DAYS' | 'KYC_EXPIRED' | 'KYC_HIGH_RISK_COUNTRIES' | 'RISK_POINTS'
  >;
  /** Which networks coins move on. */
  readonly chains: Chains;
  /** How old a price of a coin may be, by the time of its source. */
  readonly priceMaxAgeSeconds: number;
}

const stored = environment.pick({
  BANK_COUNTRY: true,
  BANK_CODE: true,
  BANK_BASE_CURRENCY: true,
  BANK_TIME_ZONE: true,
  BUSINESS_HOURS: true,
  CLOCK_TOLERANCE_SECONDS: true,
  KYC_REVIEW_YEARS: true,
  KYC_RENEWAL_DAYS: true,
  KYC_EXPIRED: true,
  KYC_HIGH_RISK_COUNTRIES: true,
  RISK_POINTS: true,
  CRYPTO_CHAINS: true,
  PRICE_MAX_AGE_SECONDS: true,
  NODE_ENV: true,
});

/** The settings of the bank that its database holds, for programs that need no others. Throws ConfigError. */
export function loadStoredBank(env: NodeJS.ProcessEnv = process.env): StoredBank {
  requireKnown(env);
  const data = parse(stored, env);
  requireIbans(data);
  return {
    issuer: issuerOf(data),
    baseCurrency: data.BANK_BASE_CURRENCY,
    timeZone: data.BANK_TIME_ZONE,
    businessHours: data.BUSINESS_HOURS,
    country: data.BANK_COUNTRY,
    clockToleranceSeconds: data.CLOCK_TOLERANCE_SECONDS,
    // only where it is said: a database whose clock was moved is spoilt for anything else
    clockMoves: env['NODE_ENV'] === 'development',
    customers: data,
    chains: chainsOf(data),
    priceMaxAgeSeconds: data.PRICE_MAX_AGE_SECONDS,
  };
}

/** The database as the owner of its tables, for commands that need nothing else. Throws ConfigError. */
export function loadOwnerUrl(env: NodeJS.ProcessEnv = process.env): string {
  requireKnown(env);
  const { DATABASE_OWNER_URL: url } = parse(environment.pick({ DATABASE_OWNER_URL: true }), env);
  if (url === undefined)
    throw unusable([`DATABASE_OWNER_URL: ${MISSING} (${meaningOf('DATABASE_OWNER_URL')})`]);
  return url;
}

/** Reads and checks the environment. Throws one readable error that names every wrong or missing variable. */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  requireKnown(env);
  const config = parse(environment, env);
  refuseDevelopmentSecrets(config);
  refuseSimulators(config);
  requireSafeCustodian(config);
  requireSafePrices(config);
  requireIbans(config);
  requireWholePairs(config);
  requireReadable(config);
  requireShorter(config);
  requireReplyDomain(config);
  return {
    ...config,
    VAPID_PRIVATE_KEY: vapidKeyOf(config),
    CARD_NETWORK_KEYS:
      config.CARD_NETWORK_KEYS ?? (config.NODE_ENV === 'production' ? [] : [DEVELOPMENT_CARD_NETWORK_KEYS]),
    CARD_PIN_KEYS:
      config.CARD_PIN_KEYS ?? (config.NODE_ENV === 'production' ? [] : [DEVELOPMENT_CARD_PIN_KEYS]),
    publicUrl: config.PUBLIC_URL ?? `http://${hostInUrl(config.HOST)}:${config.PORT}`,
  };
}

/** Only production moves coins that are worth something, unless it is told otherwise. */
function chainsOf({ NODE_ENV, CRYPTO_CHAINS: chains }: Pick<Config, 'NODE_ENV' | 'CRYPTO_CHAINS'>): Chains {
  return chains ?? (NODE_ENV === 'production' ? 'mainnet' : 'testnet');
}

/** Whoever develops sends push messages without more ado; a bank in production says by which key. */
function vapidKeyOf({
  NODE_ENV,
  VAPID_PRIVATE_KEY: key,
}: Pick<z.output<typeof environment>, 'NODE_ENV' | 'VAPID_PRIVATE_KEY'>): string | undefined {
  return key ?? (NODE_ENV === 'production' ? undefined : DEVELOPMENT_VAPID_KEY);
}

/** RFC 3986 §3.2.2: an IPv6 address stands in brackets. */
function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** Kubernetes sets such a value for a service whose name happens to make the name of a setting. */
const SERVICE_LINK = /^(tcp|udp):\/\/[^/]+:\d+$/;

function isGiven(value: string | undefined): boolean {
  return value !== undefined && value !== '' && !SERVICE_LINK.test(value);
}

/** An empty variable counts as absent. */
function parse<Shape extends z.ZodObject>(shape: Shape, env: NodeJS.ProcessEnv): z.output<Shape> {
  const names = Object.keys(shape.shape);
  const known = Object.fromEntries(names.map((name) => [name, isGiven(env[name]) ? env[name] : undefined]));
  const parsed = shape.safeParse(known);
  if (parsed.success) return parsed.data;
  throw unusable(
    parsed.error.issues.map((issue) => {
      const name = String(issue.path[0]);
      return `${name}: ${known[name] === undefined ? MISSING : faultOf(issue)} (${meaningOf(name)})`;
    }),
  );
}

/** What is wrong, without the value: it may be a secret. */
function faultOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be a ${issue.expected === 'int' ? 'whole number' : issue.expected}`;
    case 'too_big':
      return `must be at most ${String(issue.maximum)}`;
    case 'too_small':
      return `must be at least ${String(issue.minimum)}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    default:
      return issue.message;
  }
}

const meanings: Readonly<Record<string, { readonly description?: string | undefined }>> = environment.shape;

function meaningOf(name: string): string {
  return meanings[name]?.description ?? 'a setting';
}

/** A setting whose name ends with what it counts. */
export interface WaitingTime {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly description: string;
}

const UNIT = /_(SECONDS|MINUTES|HOURS|DAYS|TRIES)$/;

/** How long something waits or lasts, and how often it is tried, by name. */
export function waitingTimes(config: Config): WaitingTime[] {
  return Object.entries(config)
    .flatMap(([name, value]) => {
      const unit = UNIT.exec(name)?.[1]?.toLowerCase();
      return unit === undefined || typeof value !== 'number'
        ? []
        : [{ name, value, unit, description: meaningOf(name) }];
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

const MISSING = 'is missing; set it';

function unusable(faults: readonly string[]): ConfigError {
  const lines = faults.map((fault) => `  ${fault}`).join('\n');
  return new ConfigError(
    `The configuration is not usable:\n${lines}\ndocs/configuration.md explains each setting.`,
  );
}

/** A misspelt name would be ignored, and the setting with it. */
function requireKnown(env: NodeJS.ProcessEnv): void {
  const unknown = misspelt(Object.keys(env), Object.keys(environment.shape));
  if (unknown.length === 0) return;
  throw unusable(
    unknown.map(
      ({ name, meant }) =>
        `${name}: is not a setting; ${meant === undefined ? 'remove it, or correct its name' : `${meant} was probably meant`}`,
    ),
  );
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
  if (config.CARD_KEYS.includes(DEVELOPMENT_CARD_KEYS)) faults.push('CARD_KEYS');
  if (config.CARD_NETWORK_KEYS?.includes(DEVELOPMENT_CARD_NETWORK_KEYS) === true)
    faults.push('CARD_NETWORK_KEYS');
  if (config.CARD_PIN_KEYS?.includes(DEVELOPMENT_CARD_PIN_KEYS) === true) faults.push('CARD_PIN_KEYS');
  if (config.S3_SECRET_KEY === DEVELOPMENT_S3_SECRET) faults.push('S3_SECRET_KEY');
  if (config.VAPID_PRIVATE_KEY === DEVELOPMENT_VAPID_KEY) faults.push('VAPID_PRIVATE_KEY');
  if (faults.length > 0)
    throw unusable(faults.map((name) => `${name}: set a secret of your own outside NODE_ENV=development`));
}

/** In production nothing leads to a simulator. */
function refuseSimulators(config: Pick<Config, 'NODE_ENV' | (typeof SIMULATORS)[number]>): void {
  const found = SIMULATORS.filter((name) => config[name] !== undefined);
  if (config.NODE_ENV === 'production' && found.length > 0)
    throw unusable(found.map((name) => `${name}: is for development; remove it`));
}

/** What is sent to the custodian moves coins, its keys say what has moved, and the sandbox custodian has no certificate. */
function requireSafeCustodian(config: Pick<Config, 'NODE_ENV' | (typeof CUSTODIAN_ADDRESSES)[number]>): void {
  const unsafe = CUSTODIAN_ADDRESSES.filter((name) => config[name]?.startsWith('http:') === true);
  if (config.NODE_ENV === 'production' && unsafe.length > 0)
    throw unusable(unsafe.map((name) => `${name}: must begin with https: in production`));
}

const CUSTODIAN_ADDRESSES = ['CUSTODIAN_URL', 'CUSTODIAN_JWKS_URL'] as const;

const SIMULATORS = ['RAIL_PORT', 'CARD_NETWORK_PORT', 'CUSTODIAN_CONTROL_PORT', 'PRICES_PORT'] as const;

/** Whoever could change prices on their way would buy and sell at prices of their own. */
function requireSafePrices({
  NODE_ENV,
  PRICE_SOURCES: sources = [],
}: Pick<Config, 'NODE_ENV' | 'PRICE_SOURCES'>): void {
  if (NODE_ENV === 'production' && sources.some(({ url }) => !url.startsWith('https:')))
    throw unusable(['PRICE_SOURCES: each address must begin with https: in production']);
}

/** Every recipient would be refused. */
function requireReplyDomain(config: Pick<Config, 'INBOUND_SMTP_PORT' | 'REPLY_DOMAIN'>): void {
  if (config.INBOUND_SMTP_PORT !== 0 && config.REPLY_DOMAIN === undefined)
    throw unusable(['REPLY_DOMAIN: set it too, because INBOUND_SMTP_PORT takes mail for it']);
}

/** A certificate without its key, or a key without its certificate or selector, would be ignored silently. */
function requireWholePairs(config: z.output<typeof environment>): void {
  const faults = PAIRS.flatMap(([one, other]) => {
    if ((config[one] === undefined) === (config[other] === undefined)) return [];
    return [`${config[one] === undefined ? one : other}: set both of ${one} and ${other}, or neither`];
  });
  if (faults.length > 0) throw unusable(faults);
}

const PAIRS = [
  ['TEMPORAL_TLS_CERT', 'TEMPORAL_TLS_KEY'],
  ['MAIL_DKIM_SELECTOR', 'MAIL_DKIM_KEY'],
  ['TWILIO_ACCOUNT', 'TWILIO_TOKEN'],
  ['TWILIO_ACCOUNT', 'TWILIO_FROM'],
  ['CUSTODIAN_URL', 'CUSTODIAN_API_KEY'],
  ['CUSTODIAN_URL', 'CUSTODIAN_SECRET_FILE'],
] as const;

/** Files that are read much later, where their names would not be told. */
function requireReadable(config: z.output<typeof environment>): void {
  // the sandbox custodian writes its file when it starts, which is after the worker
  const names = config.NODE_ENV === 'production' ? [...FILES, 'CUSTODIAN_SECRET_FILE' as const] : FILES;
  const faults = names.filter((name) => config[name] !== undefined && !isReadable(config[name]));
  if (faults.length > 0)
    throw unusable(
      faults.map((name) => `${name}: the file cannot be read; set its path, and let this user read it`),
    );
}

const FILES = ['TEMPORAL_TLS_CA', 'TEMPORAL_TLS_CERT', 'TEMPORAL_TLS_KEY', 'MAIL_DKIM_KEY'] as const;

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** A session that may be idle for longer than it may live would never end for being idle. */
function requireShorter(config: z.output<typeof environment>): void {
  const faults = [
    ...(config.SESSION_IDLE_CUSTOMER_DAYS > config.SESSION_MAX_CUSTOMER_DAYS
      ? ['SESSION_IDLE_CUSTOMER_DAYS: must not be longer than SESSION_MAX_CUSTOMER_DAYS; make it shorter']
      : []),
    ...(config.SESSION_IDLE_ADMIN_MINUTES > config.SESSION_MAX_ADMIN_HOURS * 60
      ? ['SESSION_IDLE_ADMIN_MINUTES: must not be longer than SESSION_MAX_ADMIN_HOURS; make it shorter']
      : []),
  ];
  if (faults.length > 0) throw unusable(faults);
}

/** A bank whose code does not fit its country's IBANs could open no account, so it does not start. */
function requireIbans(bank: Pick<Config, 'BANK_COUNTRY' | 'BANK_CODE'>): void {
  const someAccount = '100000000190';
  try {
    ibanOf(issuerOf(bank), someAccount);
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    throw unusable([`BANK_CODE: ${why}; set BANK_COUNTRY and BANK_CODE to those of the bank’s IBANs`]);
  }
}
