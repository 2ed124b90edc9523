/** Files of the card network at the back office. */
import { z } from 'zod';
import { cardFileOf, cardFilesPage, recordsAside } from '../../../db/queries/cards/files.ts';
import { CardFileId } from '../../../domain/ids.ts';
import { found } from '../../../domain/refusals.ts';
import { forAdmins } from '../../declaration/operation.ts';
import { keysetById } from '../../wire/cursor.ts';
import * as wire from './schemas.ts';
import { cardFileView, cardFileWithRecordsView } from './views.ts';

const byId = keysetById('card-files', CardFileId);
const MOST_RECORDS = 100;

export const listCardFiles = forAdmins({
  id: 'listCardFiles',
  area: 'Admin finance',
  title: 'List files of the card network (admin)',
  description: 'Lists clearing and settlement files, newest first, with those that were refused.',
  method: 'GET',
  path: '/v1/admin/card-files',
  effect: 'read',
  permission: 'cards:read',
  query: byId.query({}),
  status: 200,
  answer: wire.CardFileList,
  refuses: [],
  beyond: true,
  handle({ db, query }) {
    return byId.page(query, (before, most) => cardFilesPage.all(db, { before, most }), cardFileView);
  },
});

export const getCardFile = forAdmins({
  id: 'getCardFile',
  area: 'Admin finance',
  title: 'Get file of the card network (admin)',
  description:
    'Returns a file with its records that could not be booked to an account. Somebody has to look at them.',
  method: 'GET',
  path: '/v1/admin/card-files/{id}',
  effect: 'read',
  permission: 'cards:read',
  params: z.strictObject({ id: CardFileId }),
  status: 200,
  answer: wire.CardFileWithRecords,
  refuses: [],
  beyond: true,
  async handle({ params: { id }, db }) {
    const file = found(await cardFileOf.first(db, { id }));
    return cardFileWithRecordsView(file, await recordsAside.all(db, { file: id, most: MOST_RECORDS }));
  },
});

/** In the order of the documentation. */
export const operations = [listCardFiles, getCardFile];
