/** What the API says about itself: the OpenAPI document and the reference that people read. */
import { beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { operations } from '../../../api/operations.ts';
import { refusals } from '../../../domain/refusals.ts';
import { apiClient } from '../../support/client.ts';

const Documented = z.looseObject({
  operationId: z.string(),
  summary: z.string(),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  responses: z.record(z.string(), z.unknown()),
});
const OpenApi = z.looseObject({
  openapi: z.literal('3.1.0'),
  paths: z.record(z.string(), z.record(z.string(), Documented)),
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()) }),
});

let text: string;
let document: z.output<typeof OpenApi>;
beforeAll(async () => {
  const answer = await apiClient().call('GET', '/openapi.json');
  text = answer.text;
  document = answer.as(OpenApi);
});

test('the document has every operation, with its caller, its status and its permission', () => {
  const documented = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(
      ([method, described]) => `${described.operationId} ${method.toUpperCase()} ${path}`,
    ),
  );
  expect(documented.toSorted()).toEqual(
    operations.map(({ id, method, path }) => `${id} ${method} ${path}`).toSorted(),
  );
  for (const { id, method, path, access, status, waiting } of operations) {
    const described = document.paths[path]?.[method.toLowerCase()];
    expect({ id, open: described?.security.length === 0 }).toEqual({ id, open: access.auth === 'public' });
    expect(described?.responses).toHaveProperty(String(status));
    expect({ id, waits: described?.responses['202'] !== undefined }).toEqual({
      id,
      waits: waiting !== undefined,
    });
    const permission = access.auth === 'admin' ? access.permission : null;
    expect(described?.['x-permission']).toBe(permission ?? undefined);
  }
});

test('every reference in the document leads somewhere', () => {
  const parsed: unknown = JSON.parse(text);
  const references = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, pointer]) => pointer ?? '');
  expect(references.length).toBeGreaterThan(50);
  for (const pointer of new Set(references)) {
    const target = pointer
      .split('/')
      .reduce<unknown>((value, step) => z.record(z.string(), z.unknown()).parse(value)[step], parsed);
    expect({ pointer, target: typeof target }).toEqual({ pointer, target: 'object' });
  }
});

test('a schema has one name for both ways: none differs between what is sent and what is answered', () => {
  expect(Object.keys(document.components.schemas).filter((name) => /(Input|Output)$/.test(name))).toEqual([]);
});

test('the reference shows every operation and every error, and loads nothing from elsewhere', async () => {
  const [docs, errors, style] = await Promise.all(
    ['/docs', '/docs/errors', '/docs/style.css'].map(
      async (path) => (await apiClient().call('GET', path)).text,
    ),
  );
  for (const { id } of operations) expect(docs).toContain(`id="${id}"`);
  for (const field of ['limit', 'next_cursor', 'destination.account_id', 'items[].amount']) {
    expect(docs).toContain(`<code>${field}</code>`);
  }
  for (const code of Object.keys(refusals)) expect(errors).toContain(`id="${code}"`);
  for (const page of [docs, errors, style]) {
    expect(page).not.toMatch(/(src|href)\s*=\s*"?(https?:)?\/\//);
    expect(page).not.toMatch(/<script|@import|url\(/);
  }
});

test('the type of a Problem is the address of its explanation', async () => {
  const refused = await apiClient().call('GET', '/v1/nothing/here');
  const { type } = refused.as(z.looseObject({ type: z.url() }));
  const { pathname, hash } = new URL(type);
  const page = await apiClient().call('GET', pathname);
  expect(page.text).toContain(`id="${hash.slice(1)}"`);
});
