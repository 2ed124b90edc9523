/** Jest's global setup of every layer that needs the stack: has it started if need be, and hands its environment to the tests. */
import { askForStack } from './control.ts';
import { keptStack } from './kept-stack.ts';

export default async function joinStack() {
  const socket = process.env.TELLER_TEST_CONTROL ?? keptStack();
  if (socket === undefined)
    throw new Error(
      'These tests need their stack: run them with `npm test`, or start `npm run stack` first.',
    );
  Object.assign(process.env, await askForStack(socket));
}
