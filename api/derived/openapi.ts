/** The OpenAPI 3.1 document, made from the declarations. Nothing about an operation is written here. */
import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { refusals } from '../../domain/refusals.ts';
import type { Operation } from '../declaration/operation.ts';
import { PendingChange } from '../platform/changes/schemas.ts';
import { Problem } from '../wire/shapes.ts';
import { needsFreshFactor } from '../pipeline/factors/fresh-factor.ts';
import { refusalsOf } from '../pipeline/refusals-of.ts';
import { isLinked } from '../pipeline/factors/step-up.ts';
import { version } from '../platform/version.ts';
import { keepExamples, type Drawing } from './drawing.ts';
import { inOrder } from './in-order.ts';

const STATUS_NAMES = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  406: 'NotAcceptable',
  409: 'Conflict',
  413: 'PayloadTooLarge',
  415: 'UnsupportedMediaType',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'Unavailable',
} as const;

const LINKED =
  'The step-up token is good for this very request: give its body to `POST /v1/auth/step-up` as `request`.';
const FRESH =
  'The second factor of the session must be at most 15 minutes old; a step-up for this operation renews it.';

const problem = { 'application/problem+json': { schema: Problem } };

const securitySchemes = {
  bearerAuth: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'Access token of a login.',
  },
  stepUpToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Step-Up-Token',
    description:
      'Proof of a fresh second factor for one operation, and for one request if it moves money out: POST /v1/auth/step-up, then /v1/auth/step-up/verify.',
  },
  readingCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'teller-reading',
    description:
      'Cookie of the page `/operators/sign-in`, for the pages of the Temporal Web UI. Its name begins with `__Secure-` where the API is reached over TLS.',
  },
  signature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Signature',
    description: 'Signature over the raw body.',
  },
} as const;

/** Builds the document for this list of operations, as clients reach them at `serverUrl`. */
export function openApiDocument(operations: readonly Operation[], serverUrl: string): object {
  const paths: ZodOpenApiPathsObject = {};
  const readable = new Set(operations.flatMap(({ method, path }) => (method === 'GET' ? [path] : [])));
  for (const operation of operations) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: describeOperation(operation, readable.has(operation.path)),
    };
  }
  const areas = [...new Set(operations.map(({ area }) => area))];
  return createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Teller',
        version,
        summary: 'Retail banking and crypto core',
        description:
          'Money is `{ "amount": "12.34", "currency": "EUR" }`; lists are `{ "items": [], "next_cursor": null }`; errors are RFC 9457 problems whose `code` is stable. Send an `Idempotency-Key` with every POST that creates or moves something.',
      },
      servers: [{ url: serverUrl }],
      tags: areas.map((name) => ({ name })),
      paths,
      components: {
        securitySchemes,
        responses: Object.fromEntries(
          Object.entries(STATUS_NAMES).map(([status, name]) => [
            name,
            {
              description: titlesOf(Number(status)),
              content: problem,
              ...(status === '429' || status === '503'
                ? { headers: z.object({ 'Retry-After': z.string() }) }
                : {}),
            },
          ]),
        ),
      },
    },
    { override: draw },
  );
}

function draw(drawing: Drawing): void {
  keepExamples(drawing);
  const { jsonSchema } = drawing;
  // right in JSON Schema 2020-12, but many tools read patterns without `\p{…}` and then match nothing
  if (jsonSchema.pattern?.includes('\\p{')) delete jsonSchema.pattern;
}

function describeOperation(operation: Operation, versioned: boolean): ZodOpenApiOperationObject {
  const { access } = operation;
  return {
    operationId: operation.id,
    summary: operation.title,
    description: descriptionOf(operation),
    tags: [operation.area],
    security: securityOf(operation),
    requestParams: {
      ...(operation.params === undefined ? {} : { path: asObject(operation.params) }),
      ...(operation.query === undefined ? {} : { query: asObject(operation.query) }),
      ...headersOf(operation, versioned),
    },
    ...(operation.body === undefined
      ? {}
      : {
          requestBody: {
            required: !z.safeParse(operation.body, {}).success,
            content: { 'application/json': { schema: operation.body } },
          },
        }),
    responses: answersOf(operation),
    ...(access.auth === 'admin' && access.permission !== null ? { 'x-permission': access.permission } : {}),
    ...(needsFreshFactor(operation) ? { 'x-fresh-factor': true } : {}),
    ...(isLinked(operation) ? { 'x-linked-step-up': true } : {}),
    ...(operation.process === undefined ? {} : { 'x-process': operation.process }),
    ...(operation.beyond === true ? { 'x-beyond': true } : {}),
  };
}

const key = z
  .string()
  .min(1)
  .max(255)
  .meta({ description: 'A fresh random key for each intent; the same key repeats the first answer.' });
const ifMatch = z
  .string()
  .optional()
  .meta({ description: 'ETag of the GET on this path; refused etag_mismatch where it is another by now.' });

/** The headers that the frame reads for this operation. `versioned`: there is a GET on its path, whose ETag If-Match names. */
function headersOf({ idempotency, method }: Operation, versioned: boolean): { header?: z.ZodObject } {
  if (idempotency !== 'none') {
    return { header: z.object({ 'Idempotency-Key': idempotency === 'required' ? key : key.optional() }) };
  }
  const changes = method === 'PATCH' || method === 'PUT' || method === 'DELETE';
  return changes && versioned ? { header: z.object({ 'If-Match': ifMatch }) } : {};
}

function answersOf(operation: Operation): ZodOpenApiResponsesObject {
  const answers: ZodOpenApiResponsesObject = {};
  const { answer, status, formats = [] } = operation;
  const others = formats.filter((format) => format !== 'application/json');
  answers[`${status}`] =
    answer === null
      ? { description: 'Done; no body.' }
      : {
          description: 'Done.',
          content: {
            'application/json': { schema: answer },
            ...Object.fromEntries(others.map((format) => [format, { schema: { type: 'string' as const } }])),
          },
        };
  if (operation.waiting !== undefined)
    answers['202'] = {
      description: 'Accepted; it waits for the decision of somebody else.',
      ...(operation.waiting === PendingChange ? { headers: z.object({ Location: z.string() }) } : {}),
      content: { 'application/json': { schema: operation.waiting } },
    };
  for (const refused of statusesOf(operation)) {
    answers[`${refused}`] = { $ref: `#/components/responses/${STATUS_NAMES[refused]}` };
  }
  return answers;
}

function descriptionOf(operation: Operation): string {
  const lines = inOrder(refusalsOf(operation)).map(
    (code) => `- \`${code}\` (${refusals[code].status}): ${refusals[code].cause}`,
  );
  const guards = [...(isLinked(operation) ? [LINKED] : []), ...(needsFreshFactor(operation) ? [FRESH] : [])];
  return [operation.description, ...guards, '**Refusals**', lines.join('\n')].join('\n\n');
}

/** Besides what is refused today, callers who prove who they are are told to expect the five that every such operation may come to give. */
function statusesOf(operation: Operation): (keyof typeof STATUS_NAMES)[] {
  const given = inOrder(refusalsOf(operation)).map((code) => refusals[code].status);
  return operation.access.auth === 'public' ? given : [...given, 400, 401, 403, 404, 409];
}

/** Public operations say so with an empty list: a document-wide default must not reach them. */
function securityOf({ access }: Operation): Record<string, string[]>[] {
  switch (access.auth) {
    case 'public':
      return [];
    case 'signature':
      return [{ signature: [] }];
    case 'admin':
      if (access.cookie === 'taken' || access.cookie === 'ends')
        return [{ bearerAuth: [] }, { readingCookie: [] }];
      return [bearer(access)];
    case 'user':
      return [bearer(access)];
  }
}

function bearer({ stepUp }: { readonly stepUp: boolean }): Record<string, string[]> {
  return stepUp ? { bearerAuth: [], stepUpToken: [] } : { bearerAuth: [] };
}

/** Path and query schemas are objects by convention; anything else is a mistake in a declaration. */
function asObject(schema: z.ZodType): z.ZodObject {
  if (schema instanceof z.ZodObject) return schema;
  throw new Error('path and query schemas must be objects');
}

function titlesOf(status: number): string {
  const titles = Object.values(refusals)
    .filter((entry) => entry.status === status)
    .map(({ title }) => title);
  return [...new Set(titles)].join('; ');
}
