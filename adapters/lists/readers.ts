/** The reader of each source, and the checksum of its files. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { ListSource } from '../../domain/screening/lists.ts';
import { readEu } from './eu.ts';
import type { ListReader } from './item.ts';
import { readOfacAdvanced } from './ofac-advanced.ts';
import { readOfacCsv } from './ofac-csv.ts';
import { readOfacXml } from './ofac-xml.ts';
import { readOpenSanctions } from './opensanctions.ts';
import { readOwn } from './own.ts';
import { readUk } from './uk.ts';
import { readUn } from './un.ts';

export const listReaders: Readonly<Record<ListSource, ListReader>> = {
  un: readUn,
  ofac_csv: readOfacCsv,
  ofac_xml: readOfacXml,
  ofac_advanced: readOfacAdvanced,
  eu: readEu,
  uk: readUk,
  opensanctions: readOpenSanctions,
  own: readOwn,
};

/** SHA-256 of all files, one after another. */
export async function checksumOf(paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const path of paths) {
    const stream = createReadStream(path);
    stream.on('data', (chunk) => hash.update(chunk));
    await finished(stream);
  }
  return hash.digest('hex');
}
