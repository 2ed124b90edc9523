/** Tells whoever started this thread what is wrong with the PDF that it was given. */
import { parentPort, workerData } from 'node:worker_threads';
import { pdfFault } from './pdf-faults.ts';

const file: unknown = workerData;
if (!(file instanceof Uint8Array)) throw new Error('the thread was given no file');
const fault = await pdfFault(Buffer.from(file.buffer, file.byteOffset, file.byteLength));
parentPort?.postMessage(fault ?? null);
