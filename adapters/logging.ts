/** Structured logs. What identifies a person or opens a door is cut out by name, wherever in an object it stands. */
import { types } from 'node:util';
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
      paths: SECRET_FIELDS.flatMap((field) => [`["${field}"]`, `*["${field}"]`, `*.*["${field}"]`]),
      censor: '[cut]',
    },
    serializers: { err: describeError },
  };
  return pino(options, destination);
}

/**
 * Name, code and stack of an error. PostgreSQL's `detail` and `where` quote values of rows, and the message of a constraint
 * violation may too, so of a database error only the code and the constraint are kept.
 */
function describeError(error: unknown): object {
  if (!types.isNativeError(error)) return { type: typeof error };
  const known: Readonly<Record<string, unknown>> = { ...error };
  const { code, constraint } = { code: known['code'], constraint: known['constraint'] };
  const fromDatabase = typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code);
  return {
    type: error.name,
    message: fromDatabase ? `PostgreSQL ${code}` : error.message,
    ...(code === undefined ? {} : { code }),
    ...(constraint === undefined ? {} : { constraint }),
    stack: error.stack
      ?.split('\n')
      .filter((line) => line.startsWith('    at '))
      .slice(0, 12)
      .join('\n'),
    ...(types.isNativeError(error.cause) ? { cause: error.cause.name } : {}),
  };
}
