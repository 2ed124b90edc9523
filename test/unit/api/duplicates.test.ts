/** A name that a JSON object has twice is found, wherever it is and however it is spelt. */
import { expect, test } from '@jest/globals';
import { repeatedFields } from '../../../api/pipeline/http/duplicates.ts';

const pointersIn = (json: string): string[] =>
  repeatedFields(json, JSON.parse(json), 50).map(({ pointer }) => pointer);

test.each([
  ['at the top', '{"amount":{"x":1},"amount":2}', ['/amount']],
  ['inside an object of an array', '{"a":1,"b":{"a":1,"c":[0,{"d":1,"d":2}]}}', ['/b/c/1/d']],
  ['spelt otherwise', String.raw`{"\u0061":1,"a":2}`, ['/a']],
  ['with signs that a pointer escapes', '{"a~/b":1,"a~/b":1}', ['/a~0~1b']],
  ['three times', '{"a":1,"a":2,"a":3}', ['/a', '/a']],
  ['named like a prototype', '{"__proto__":1,"__proto__":2}', ['/__proto__']],
])('a name that is there twice is named: %s', (_where, json, pointers) => {
  expect(pointersIn(json)).toEqual(pointers);
});

test.each([
  ['the same name in two objects', '[{"a":1},{"a":2},{"b":{"a":3}}]'],
  ['a text that looks like JSON', String.raw`{"a":"}{,\"a\":","b":"\\","c":"a"}`],
  ['texts of an array', '{"a":["a","a",":"],"b":"a"}'],
  ['no object at all', '["a","a"]'],
])('what is there once is not: %s', (_what, json) => {
  expect(pointersIn(json)).toEqual([]);
});

test('no more faults are named than are wanted', () => {
  const json = `{${'"a":1,'.repeat(100)}"a":1}`;
  expect(repeatedFields(json, JSON.parse(json), 3)).toHaveLength(3);
});
