/** `large-list.ts FILE`: reads a file of the UN as `npm run lists:load` does, and prints how much memory that took. */
import { statSync } from 'node:fs';
import { readUn } from '../adapters/lists/un.ts';

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('give a file');
let [entries, most] = [0, 0];
const began = performance.now();
for await (const item of readUn([path])) {
  if ('entry' in item) entries += 1;
  if (entries % 1000 === 0) most = Math.max(most, process.memoryUsage().rss);
}
const seconds = ((performance.now() - began) / 1000).toFixed(1);
const [size, memory] = [statSync(path).size, most].map((bytes) => Math.round(bytes / 1e6));
process.stdout.write(
  `screening: a file of ${String(size)} MB with ${entries} entries: ${seconds} s, at most ${String(memory)} MB of memory\n`,
);
