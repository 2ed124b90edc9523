/** `node workers/write-bundle.ts FILE`: writes the bundled workflows to a file that workers start from (WORKFLOW_BUNDLE). */
import { renameSync, writeFileSync } from 'node:fs';
import { bundleWorkflows } from './bundle.ts';

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: node workers/write-bundle.ts FILE');
const { code } = await bundleWorkflows();
// whole or not at all: a worker may start from it at any moment
writeFileSync(`${file}.new`, code);
renameSync(`${file}.new`, file);
