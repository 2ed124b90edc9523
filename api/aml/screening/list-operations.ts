/** Sanctions lists: which are in force, who agrees to one that has shrunk, and who stands on them. */
import { z } from 'zod';
import { pageOfListLoads } from '../../../db/queries/aml/list-loads.ts';
import { ScreeningLoadId } from '../../../domain/ids.ts';
import { agreeToList } from '../../../services/aml/list-agreement.ts';
import { searchLists } from '../../../services/aml/search.ts';
import { forAdmins } from '../../declaration/operation.ts';
import { keysetById } from '../../wire/cursor.ts';
import * as wire from './list-schemas.ts';
import { listLoadView, matchView } from './list-views.ts';
import { askedIn } from './views.ts';

const byId = keysetById('screening-lists', ScreeningLoadId);
/** Matches that are this much below the threshold are shown too. */
const BELOW = 20;

export const listScreeningLists = forAdmins({
  id: 'listScreeningLists',
  area: 'Admin AML',
  title: 'List sanctions lists',
  description:
    'The files that `npm run lists:load` has read, newest first: what took effect, what was refused and why, and what waits for an administrator.',
  method: 'GET',
  path: '/v1/admin/aml/lists',
  effect: 'read',
  permission: 'aml:read',
  query: byId.query({ source: wire.Source.optional(), status: wire.LoadStatus.optional() }),
  status: 200,
  answer: wire.ScreeningListList,
  refuses: [],
  beyond: true,
  handle: ({ db, query }, { config }) =>
    byId.page(
      query,
      (before, most) => pageOfListLoads(db, { source: query.source, status: query.status }, before, most),
      (row) => listLoadView(row, config.AML_LIST_MAX_AGE_DAYS),
    ),
});

export const agreeToScreeningList = forAdmins({
  id: 'agreeToScreeningList',
  area: 'Admin AML',
  title: 'Agree to a sanctions list',
  description:
    'Puts a list into force that waits because more than a tenth of the entries is missing from its file. Whoever loads files works on the machine of the bank; the administrator is the second person.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/admin/aml/lists/{id}/agree',
  effect: 'transaction',
  permission: 'aml:write',
  params: z.strictObject({ id: ScreeningLoadId }),
  status: 200,
  answer: wire.ScreeningList,
  refuses: ['list_not_pending'],
  beyond: true,
  async handle(request, { config }) {
    const load = await agreeToList(request, request.params.id);
    if (load === null) throw request.refusal('list_not_pending');
    return listLoadView(load, config.AML_LIST_MAX_AGE_DAYS);
  },
});

export const searchScreeningLists = forAdmins({
  id: 'searchScreeningLists',
  area: 'Admin AML',
  title: 'Search sanctions lists',
  description:
    'Looks somebody up in the lists in force, by the code that screens customers and payments, and explains each match. Nothing is kept.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/admin/aml/screening/search',
  effect: 'own_transactions',
  permission: 'aml:read',
  body: wire.ScreeningSearch,
  status: 200,
  answer: wire.ScreeningSearchAnswer,
  refuses: [],
  beyond: true,
  async handle({ body, db }, { config }) {
    const threshold = config.AML_MATCH_THRESHOLD;
    const matches = await searchLists(db, askedIn(body.asked), threshold - BELOW, body.lists);
    return { matches: matches.slice(0, MOST).map((match) => matchView(match, threshold)) };
  },
});

/** Nobody reads more. */
const MOST = 200;

/** In the order of the documentation. */
export const operations = [listScreeningLists, agreeToScreeningList, searchScreeningLists];
