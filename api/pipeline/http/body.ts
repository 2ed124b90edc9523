/** Step: reads the body's bytes within the operation's limit, and reads JSON out of them strictly. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Refusal, type FieldFault } from '../../../domain/refusals.ts';
import type { Operation } from '../../declaration/operation.ts';
import { repeatedFields } from './duplicates.ts';
import { faultsOfText } from './text.ts';

const DEFAULT_LIMIT_BYTES = 100_000;
const MAX_FAULTS = 50;
const NOTHING = Buffer.alloc(0);

/** The body as it arrived; empty where there is none. Refuses payload_too_large as soon as the limit is passed. */
export async function readBody(operation: Operation, request: IncomingMessage): Promise<Buffer> {
  const declared = request.headers['content-length'];
  const none = declared === undefined ? request.headers['transfer-encoding'] === undefined : declared === '0';
  if (none) return NOTHING;
  const limit = operation.bodyLimit ?? DEFAULT_LIMIT_BYTES;
  if (Number(declared ?? 0) > limit)
    throw new Refusal('payload_too_large', { members: { limit_bytes: limit } });
  return collect(request, limit);
}

/**
 * The bytes of a request. Refuses payload_too_large at the first byte over the limit, and keeps nothing of what still comes. By
 * listeners rather than `for await`: leaving that loop early would close the connection before the answer is sent.
 */
export function collect(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const settle = (act: () => void): void => {
      request.off('data', take).off('end', end).off('error', broken).off('close', broken);
      act();
    };
    const take = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes <= limit) chunks.push(chunk);
      else {
        chunks.length = 0;
        settle(() => {
          request.resume();
          reject(new Refusal('payload_too_large', { members: { limit_bytes: limit } }));
        });
      }
    };
    const end = (): void => {
      settle(() => {
        resolve(Buffer.concat(chunks));
      });
    };
    const broken = (): void => {
      settle(() => {
        reject(new Refusal('malformed_json', { detail: 'The body ended early.' }));
      });
    };
    request.on('data', take).on('end', end).on('error', broken).on('close', broken);
  });
}

/** What an operation's body schema reads: a JSON object. No bytes read as `{}`, so that the schema names what is missing. */
export function readJson(
  operation: Operation,
  bytes: Buffer,
  headers: Pick<IncomingHttpHeaders, 'content-type' | 'content-encoding'>,
): unknown {
  if (bytes.length === 0) return operation.body === undefined ? undefined : {};
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new Refusal('unsupported_media_type', {
      detail: 'A body with a content encoding is not accepted.',
    });
  }
  if (!isJson(headers['content-type'])) throw new Refusal('unsupported_media_type');
  const text = decoded(bytes);
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Refusal('malformed_json');
  const faults = [...repeatedFields(text, value, MAX_FAULTS), ...faultsOfText(value)];
  if (faults.length > 0) throw new Refusal('invalid_request', { errors: faults });
  if (operation.body !== undefined) return value;
  const unexpected = Object.keys(value).map(unexpectedField);
  if (unexpected.length > 0) throw new Refusal('invalid_request', { errors: unexpected });
  return undefined;
}

function isJson(contentType: string | undefined): boolean {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  const charset = parameters
    .map((parameter) => parameter.trim())
    .find((parameter) => parameter.startsWith('charset='));
  return type.trim() === 'application/json' && (charset === undefined || /^charset="?utf-8"?$/.test(charset));
}

/** Bytes that are not UTF-8 are refused rather than replaced. */
function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Refusal('malformed_json');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal('malformed_json');
  }
}

function unexpectedField(name: string): FieldFault {
  return {
    pointer: `/${name.slice(0, 100)}`,
    code: 'unknown_field',
    detail: 'This operation takes no body.',
  };
}
