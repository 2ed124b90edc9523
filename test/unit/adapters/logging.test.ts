/** What a log line says of an error, and what it never says. */
import { expect, test } from '@jest/globals';
import { createLogger } from '../../../adapters/logging.ts';

function logged(line: object): unknown {
  const lines: string[] = [];
  createLogger({ LOG_LEVEL: 'info' }, 'test', { write: (text) => void lines.push(text) }).error(
    line,
    'failed',
  );
  return JSON.parse(lines[0] ?? '');
}

/** As the driver of PostgreSQL throws it. */
const fromDatabase = (fields: object): Error =>
  Object.assign(new Error('duplicate key value: Key (email)=(ann@example.com) already exists'), fields);

test('the code of an error is readable, and a one-time code is not', () => {
  const err = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });
  expect(
    logged({ err, code: '123456', body: { code: '123456' }, request: { body: { code: '123456' } } }),
  ).toMatchObject({
    err: { type: 'Error', code: 'ECONNREFUSED' },
    code: '[cut]',
    body: { code: '[cut]' },
    request: { body: { code: '[cut]' } },
  });
});

test('a code that no error has is left out of an error', () => {
  for (const code of ['123456', 'k7qpm-2xdrt', { secret: 'a' }]) {
    const line = logged({ err: Object.assign(new Error('refused'), { code }) });
    expect(line).toMatchObject({ err: { message: 'refused' } });
    expect(line).not.toHaveProperty('err.code');
  }
});

test.each([
  ['28P01', 'the login was refused: check user and password of the address'],
  ['23505', 'the row is there already'],
  ['40P01', 'two transactions waited for each other'],
  ['08006', 'the connection failed'],
])('SQLSTATE %s is named in words: %s', (code, words) => {
  expect(logged({ err: fromDatabase({ code }) })).toMatchObject({
    err: { code, message: `PostgreSQL ${code}: ${words}` },
  });
});

test('a database error names table and constraint, and no value of a row', () => {
  const detail = 'Key (email)=(ann@example.com) already exists.';
  const err = fromDatabase({
    code: '23505',
    table: 'users',
    constraint: 'users_email',
    detail,
    where: detail,
  });
  const line = logged({ err });
  expect(line).toMatchObject({ err: { code: '23505', table: 'users', constraint: 'users_email' } });
  expect(JSON.stringify(line)).not.toContain('ann@example.com');
});

test('what caused an error is named, without its values', () => {
  const cause = fromDatabase({ code: '23505', constraint: 'users_email' });
  const line = logged({ err: new Error('the user was not written', { cause }) });
  expect(line).toMatchObject({
    err: {
      message: 'the user was not written',
      cause: { message: 'PostgreSQL 23505: the row is there already', constraint: 'users_email' },
    },
  });
  expect(JSON.stringify(line)).not.toContain('ann@example.com');
});

test('a chain of causes that ends in itself is logged', () => {
  const err = new Error('round');
  err.cause = err;
  expect(logged({ err })).toMatchObject({ err: { cause: { cause: { cause: { message: 'round' } } } } });
});
