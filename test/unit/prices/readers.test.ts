/** A change of prices counts as delivered once everybody who asks has asked again. */
import { expect, test } from '@jest/globals';
import { createReaders, type Question } from '../../../dev/prices/readers.ts';

const LONG = { patienceMs: 60_000 };
const SHORT = { patienceMs: 20 };
const bitcoin: Question = { source: 'coinbase', about: 'BTC-EUR' };
const ether: Question = { source: 'coinbase', about: 'ETH-EUR' };
const all: Question = { source: 'okx', about: 'all pairs' };

/** Whether it is settled by now. */
async function isOver(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  await new Promise(setImmediate);
  return (await Promise.race([promise, Promise.resolve(pending)])) !== pending;
}

test('a question must be answered twice after the change', async () => {
  const readers = createReaders(LONG);
  readers.answered(bitcoin);
  readers.answered(bitcoin);
  const taken = readers.untilTakenIn([bitcoin, all]);
  readers.answered(bitcoin);
  readers.answered(ether);
  readers.answered(all);
  readers.answered(all);
  expect(await isOver(taken)).toBe(false);
  readers.answered(bitcoin);
  expect(await taken).toBe(true);
});

test('what nobody asks for is not delivered', async () => {
  const readers = createReaders(SHORT);
  expect(await readers.untilTakenIn([bitcoin])).toBe(false);
  const waiting = readers.untilTakenIn([{ source: 'coinbase' }, { source: 'okx' }]);
  readers.answered(all);
  readers.answered(all);
  expect(await waiting).toBe(false);
});

test('a source alone stands for every question that it is asked', async () => {
  const readers = createReaders(LONG);
  const taken = readers.untilTakenIn([{ source: 'coinbase' }]);
  readers.answered(bitcoin);
  readers.answered(ether);
  readers.answered(ether);
  readers.answered(all);
  expect(await isOver(taken)).toBe(false);
  readers.answered(bitcoin);
  expect(await taken).toBe(true);
});

test('a question that somebody asks once does not hold up the others', async () => {
  const readers = createReaders(LONG);
  const taken = readers.untilTakenIn([{ source: 'coinbase' }]);
  readers.answered(ether);
  readers.answered(bitcoin);
  readers.answered(bitcoin);
  expect(await isOver(taken)).toBe(false);
  readers.answered(bitcoin);
  expect(await taken).toBe(true);
});
