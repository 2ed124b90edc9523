/** All settings: each variable of the environment, how it is read, and what it means. */
import { z } from 'zod';
import { currencyScales } from './domain/standards/currencies.ts';
import { queues } from './domain/queues.ts';
import { isTimeZone } from './domain/time/moments.ts';
import { isBusinessHours } from './domain/time/public-holidays.ts';
import { readBic } from './domain/standards/iban.ts';
import { cardSettings } from './card-settings.ts';
import { complianceSettings } from './compliance-settings.ts';
import { cryptoSettings } from './crypto-settings.ts';
import { watchSettings } from './watch-settings.ts';
import { messageSettings } from './message-settings.ts';
import { processSettings } from './process-settings.ts';
import { address, flag, hops, isOrigin, keyRing, list, port, text } from './setting-kinds.ts';

export const DEVELOPMENT_ENCRYPTION_KEYS =
  'dev1:' + Buffer.alloc(32, 'teller-development-only').toString('base64');
export const DEVELOPMENT_CARD_KEYS =
  'dev1:' + Buffer.alloc(32, 'teller-development-cards').toString('base64');
export const DEVELOPMENT_VAPID_KEY = Buffer.alloc(32, 'teller-development-only').toString('base64url');
export const DEVELOPMENT_S3_SECRET = 'teller-development-secret';

/** Each variable with its meaning; the table in docs/configuration.md is made from the same descriptions. */
export const environment = z.object({
  NODE_ENV: z
    .enum(['development', 'test', 'production'])
    .default('development')
    .describe('`development`, `test` or `production`; default secrets are accepted in development only'),
  HOST: z.string().default('127.0.0.1').describe('address the API listens on'),
  PORT: port.default(3000).describe('port of the API'),
  PUBLIC_URL: address('http')
    .optional()
    .describe('address at which clients reach the API; default http://HOST:PORT'),
  TRUST_PROXY: hops
    .default(0)
    .describe(
      'how many proxies stand in front, each of which adds the address that it sees to X-Forwarded-For: the client’s is that many entries from the end; `true` is 1, `false` and 0 trust none',
    ),
  CORS_ORIGINS: list
    .pipe(
      z.array(
        z.string().refine(isOrigin, 'must be origins such as https://app.bank.example, without a path'),
      ),
    )
    .default([])
    .describe('origins from which browsers may call the API, comma separated'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('lowest level that is logged'),
  DATABASE_URL: address('postgres').describe('PostgreSQL as the application role, which owns nothing'),
  DATABASE_OWNER_URL: address('postgres')
    .optional()
    .describe('PostgreSQL as the owner of the tables; needed to migrate and to create administrators only'),
  DATABASE_POOL_MAX: z.coerce
    .number()
    .int()
    .min(2)
    .max(200)
    .default(16)
    .describe('most connections to PostgreSQL that one process opens'),
  TEMPORAL_ADDRESS: z
    .string()
    .regex(/^(\[[0-9a-f:.]+\]|[^\s/:]+):\d{1,5}$/i, 'must be host:port, without a scheme')
    .default('127.0.0.1:7233')
    .describe('host and port of Temporal'),
  TEMPORAL_TLS: flag
    .default(false)
    .describe('`true`: TLS to Temporal; each of the four settings after it asks for TLS too'),
  TEMPORAL_TLS_CA: text.describe(
    'PEM file of the authority of Temporal’s certificate; if unset, those of the system',
  ),
  TEMPORAL_TLS_SERVER_NAME: text.describe(
    'name in Temporal’s certificate, if it is not the host of the address',
  ),
  TEMPORAL_TLS_CERT: text.describe(
    'PEM file of the certificate that Temporal knows us by; needs TEMPORAL_TLS_KEY',
  ),
  TEMPORAL_TLS_KEY: text.describe('PEM file of the key of TEMPORAL_TLS_CERT'),
  TEMPORAL_API_KEY: text.describe('key that is sent to Temporal with each call, over TLS only'),
  TEMPORAL_NAMESPACE: z.string().default('default').describe('Temporal namespace'),
  TEMPORAL_TASK_QUEUE: z
    .string()
    .default('teller')
    .describe('beginning of the names of the three task queues: `teller-money` and so on'),
  ...processSettings,
  WORKER_QUEUES: list
    .pipe(
      z
        .array(z.enum(queues))
        .min(1)
        .refine((named) => new Set(named).size === named.length, 'must name each queue once'),
    )
    .default([...queues])
    .describe(
      'task queues that a worker process serves, comma separated; each queue needs a process somewhere that serves it',
    ),
  WORKFLOW_BUNDLE: z
    .string()
    .optional()
    .describe(
      'file of the bundled workflows, made by `node workers/write-bundle.ts FILE`; if unset, the worker bundles them at start',
    ),
  TEMPORAL_UI_URL: address('http')
    .default('http://127.0.0.1:8233')
    .describe(
      'address of the Temporal Web UI, for links to processes; its pages alone may have payloads decrypted with the cookie of /operators/sign-in',
    ),
  S3_ENDPOINT: address('http')
    .default('http://127.0.0.1:7070')
    .describe('address at which the service reaches the S3-compatible store'),
  S3_PUBLIC_ENDPOINT: address('http')
    .optional()
    .describe('address at which clients reach the same store; default S3_ENDPOINT'),
  S3_REGION: z.string().default('us-east-1').describe('region signed into requests'),
  S3_BUCKET: z.string().default('teller').describe('bucket of uploads'),
  S3_ACCESS_KEY: z.string().default('teller').describe('access key of the store'),
  S3_SECRET_KEY: z.string().default(DEVELOPMENT_S3_SECRET).describe('secret key of the store'),
  ...messageSettings,
  BANK_NAME: z
    .string()
    .min(1)
    .max(70)
    .default('Teller Bank')
    .describe('name of the bank on payments and statements'),
  BANK_COUNTRY: z
    .string()
    .regex(/^[A-Z]{2}$/, 'must be ISO 3166-1 alpha-2')
    .default('DE')
    .describe('country of the bank and of its IBANs'),
  BANK_CODE: z
    .string()
    .regex(/^[A-Z0-9]{1,24}$/, 'must be letters and digits')
    .default('99990000')
    .describe(
      'the part of the bank’s IBANs before the account number: bank code, and branch code if the country has one',
    ),
  BANK_BIC: z
    .string()
    .refine((text) => readBic(text) === text, 'must be a BIC')
    .default('TELLDEFFXXX')
    .describe('BIC of the bank'),
  BANK_TIME_ZONE: z
    .string()
    .refine(isTimeZone, 'must be a time zone such as Europe/Berlin')
    .default('Europe/Berlin')
    .describe('time zone in which the bank’s days begin and end; after a change, migrate the database again'),
  BUSINESS_HOURS: z
    .string()
    .regex(
      /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)-(Mon|Tue|Wed|Thu|Fri|Sat|Sun) ([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$/,
      'must be weekdays and times of day such as "Mon-Fri 09:00-17:00"',
    )
    .refine(isBusinessHours, 'must begin before it ends')
    .default('Mon-Fri 09:00-17:00')
    .describe(
      'when people of the bank work, in its time zone, without public holidays and those of TARGET; after a change, migrate the database again',
    ),
  BANK_BASE_CURRENCY: z
    .string()
    .refine((code) => currencyScales.has(code), 'must be an ISO 4217 code')
    .default('EUR')
    .describe('currency of the bank’s totals; after a change, migrate the database again'),
  CLOCK_TOLERANCE_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(3_600)
    .default(10)
    .describe(
      'seconds by which the clocks of the database and of a process may be apart before nothing is posted any more; after a change, migrate the database again',
    ),
  RAIL_FOLDER: z
    .string()
    .regex(/^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/, 'must be a path without slashes at its ends')
    .default('rail')
    .describe(
      'folder of the bucket in which files are exchanged with the payment rail: out/, in/, done/, refused/',
    ),
  RAIL_PORT: port
    .optional()
    .describe(
      'port on loopback at which the sandbox rail is controlled, and to which /v1/sandbox/rail leads; `npm start` sets it to 7075; refused in production',
    ),
  RAIL_COLLECT_SECONDS: z.coerce
    .number()
    .min(0.1)
    .max(3_600)
    .default(2)
    .describe('seconds between two looks of a worker for files of the payment rail and of the card network'),
  ACCOUNT_REQUEST_REMINDER_HOURS: z.coerce
    .number()
    .int()
    .min(1)
    .max(8_760)
    .default(24)
    .describe('hours after which reviewers are reminded of an open account request, again and again'),
  ACCOUNT_REQUEST_DAYS: z.coerce
    .number()
    .int()
    .min(1)
    .max(365)
    .default(30)
    .describe('days after which an account request that nobody has reviewed expires'),
  FOUR_EYES_OPERATIONS: list
    .default([])
    .describe(
      'ids of administrators’ operations, comma separated, of which every change waits for a second administrator; those that loosen a control wait without being named',
    ),
  FX_RATE_BAND_BPS: z.coerce
    .number()
    .int()
    .min(0)
    .max(5_000)
    .default(200)
    .describe(
      'basis points by which an exchange rate may differ from those of the last day before it needs a second administrator',
    ),
  CHANGE_REMINDER_HOURS: z.coerce
    .number()
    .int()
    .min(1)
    .max(8_760)
    .default(24)
    .describe('hours after which administrators are reminded of a change that waits for one of them'),
  CHANGE_DAYS: z.coerce
    .number()
    .int()
    .min(1)
    .max(365)
    .default(7)
    .describe('days after which a change that no second administrator has decided expires'),
  TOKEN_ISSUER: z.string().default('https://teller.localhost').describe('issuer of the tokens (claim iss)'),
  TOKEN_AUDIENCE: z.string().default('teller').describe('audience of the access tokens (claim aud)'),
  ...watchSettings,
  SESSION_IDLE_CUSTOMER_DAYS: z.coerce
    .number()
    .min(0.01)
    .max(90)
    .default(30)
    .describe('days after which an unused session of a customer ends'),
  SESSION_MAX_CUSTOMER_DAYS: z.coerce
    .number()
    .min(0.01)
    .max(365)
    .default(90)
    .describe('days after which every session of a customer ends'),
  SESSION_IDLE_ADMIN_MINUTES: z.coerce
    .number()
    .min(11)
    .max(720)
    .default(15)
    .describe('minutes after which an unused session of an administrator ends'),
  SESSION_MAX_ADMIN_HOURS: z.coerce
    .number()
    .min(0.2)
    .max(24)
    .default(12)
    .describe('hours after which every session of an administrator ends'),
  KEY_ROTATION_DAYS: z.coerce
    .number()
    .min(1)
    .max(400)
    .default(30)
    .describe('days after which the key that signs tokens is replaced'),
  ENCRYPTION_KEYS: keyRing
    .default([DEVELOPMENT_ENCRYPTION_KEYS])
    .describe('AES-256 keys as id:base64, comma separated; the first encrypts, all decrypt'),
  CARD_KEYS: keyRing
    .default([DEVELOPMENT_CARD_KEYS])
    .describe(
      'keys of card numbers and their verification values, which protect nothing else: id:base64, comma separated; the first encrypts, all decrypt; keep each as long as a card that it has sealed',
    ),
  ...cardSettings,
  ...complianceSettings,
  ...cryptoSettings,
  API_METRICS_PORT: port
    .default(0)
    .describe(
      'port of the API’s Prometheus metrics for a collector on another machine; 0 opens none, /metrics on loopback remains',
    ),
  STOP_DELAY_SECONDS: z.coerce
    .number()
    .min(0)
    .max(60)
    .default(3)
    .describe(
      'seconds after SIGTERM in which the API still takes requests and answers /ready with 503, so that load balancers turn away before it closes',
    ),
  OTEL_EXPORTER_OTLP_ENDPOINT: address('http')
    .optional()
    .describe('address of an OTLP/HTTP collector; without it no traces are recorded'),
});
