/** Structured logs. What identifies a person or opens a door is cut out by name, wherever in an object it stands. */
import { types } from 'node:util';
import { SQL_STATE } from '../domain/standards/sql-states.ts';
import { pino, type DestinationStream, type Logger, type LoggerOptions } from 'pino';
import type { Config } from '../config.ts';

const SECRET_FIELDS = [
  'authorization',
  'cookie',
  'set-cookie',
  'x-step-up-token',
  'password',
  'current_password',
  'new_password',
  'code',
  'token',
  'access_token',
  'refresh_token',
  'step_up_token',
  'secret',
  'otpauth_uri',
  'recovery_codes',
  'upload_url',
  'download_url',
  'email',
  'phone',
  'content_base64',
];

/** A logger for one process; JSON lines on standard output, or where a test listens. */
export function createLogger(
  config: Pick<Config, 'LOG_LEVEL'>,
  name: string,
  destination: DestinationStream = pino.destination(1),
): Logger {
  const options: LoggerOptions = {
    name,
    level: config.LOG_LEVEL,
    redact: {
      // pino tells `censor` of a wildcard not what it stood for, so `err` has a path of its own, before the others
      paths: [
        'err["password"]',
        ...SECRET_FIELDS.flatMap((field) => [`["${field}"]`, `*["${field}"]`, `*.*["${field}"]`]),
      ],
      // what describeError writes is no secret: the codes of errors, never those of people
      censor: (value: unknown, path) => (path[0] === 'err' && path.at(-1) === 'code' ? value : '[cut]'),
    },
    serializers: { err: (error: unknown) => describeError(error) },
  };
  return pino(options, destination);
}

const MOST_CAUSES = 3;
/** `ECONNREFUSED`, `ERR_INVALID_ARG_TYPE`, a number of gRPC. A one-time code is a text of six digits or more. */
const ERROR_CODE = /^[A-Z][A-Z0-9_]+$/;

/**
 * Name, code and stack of an error, and what caused it. PostgreSQL's `detail` and `where` quote values of rows, and the message of a
 * constraint violation may too, so of a database error the kind, the code, the table and the constraint are kept.
 */
function describeError(error: unknown, depth = 0): object {
  if (!types.isNativeError(error)) return { type: typeof error };
  const known: Readonly<Record<string, unknown>> = { ...error };
  const code = codeOf(known['code']);
  const fromDatabase = typeof code === 'string' && SQL_STATE.test(code);
  const place = fromDatabase ? { table: known['table'], constraint: known['constraint'] } : {};
  const cause = error.cause ?? known['previous'];
  const goesOn = types.isNativeError(cause) && depth < MOST_CAUSES;
  return {
    type: error.name,
    message: fromDatabase ? `PostgreSQL ${code}: ${conditionOf(code)}` : error.message,
    ...(code === undefined ? {} : { code }),
    ...Object.fromEntries(Object.entries(place).filter(([, value]) => value !== undefined)),
    ...(depth > 0 ? {} : { stack: stackOf(error) }),
    ...(goesOn ? { cause: describeError(cause, depth + 1) } : {}),
  };
}

function codeOf(code: unknown): string | number | undefined {
  if (typeof code === 'number') return code;
  return typeof code === 'string' && (SQL_STATE.test(code) || ERROR_CODE.test(code)) ? code : undefined;
}

function stackOf({ stack }: Error): string | undefined {
  return stack
    ?.split('\n')
    .filter((line) => line.startsWith('    at '))
    .slice(0, 12)
    .join('\n');
}

/** What the code means, in words: PostgreSQL, appendix A. */
function conditionOf(code: string): string {
  return CONDITIONS[code] ?? CONDITIONS[code.slice(0, 2)] ?? 'see appendix A of its manual';
}

const CONDITIONS: Readonly<Record<string, string>> = {
  '08': 'the connection failed',
  '22': 'a value does not fit',
  '23': 'a constraint was broken',
  '23502': 'a value is missing',
  '23503': 'a reference leads nowhere',
  '23505': 'the row is there already',
  '23514': 'a check was broken',
  '25': 'the transaction was over',
  '28': 'the login was refused: check user and password of the address',
  '28T01': 'whoever it was written for may not do this',
  '3D': 'there is no such database',
  '40': 'the transaction was rolled back',
  '40P01': 'two transactions waited for each other',
  '42': 'the statement does not fit the schema: are the migrations applied?',
  '42501': 'the role may not do this',
  '53': 'the server lacks resources',
  '53300': 'too many connections',
  '55': 'something is in use',
  '55P03': 'a lock was not granted in time',
  '57': 'the server or somebody stopped it',
  '57014': 'the statement took too long',
  '57T01': 'the clocks of the database and of this process are apart',
  '57T02': 'an account is booked ahead of the clock',
  '58': 'the system of the server failed',
  P0: 'a function refused it',
  XX: 'the server has a fault',
};
