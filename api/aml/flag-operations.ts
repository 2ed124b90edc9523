/** Flags of the money-laundering watch: finding them, and how they end. */
import { z } from 'zod';
import { amlFlagById, amlFlags, countAmlFlags } from '../../db/queries/aml/flags.ts';
import { AmlFlagId } from '../../domain/ids.ts';
import { faultIn, found } from '../../domain/refusals.ts';
import { now } from '../../domain/time/now.ts';
import { resolveAmlFlag } from '../../services/aml/flags.ts';
import { forAdmins } from '../declaration/operation.ts';
import { keysetById } from '../wire/cursor.ts';
import { CountResponse } from '../wire/shapes.ts';
import * as wire from './flag-schemas.ts';
import { filterOf, flagView } from './flag-views.ts';

const byId = keysetById('aml-flags', AmlFlagId);
const params = z.strictObject({ id: AmlFlagId });
const LONGEST_SUPPRESSION_MILLISECONDS = 90 * 86_400_000;

export const listAmlFlags = forAdmins({
  id: 'listAmlFlags',
  area: 'Admin AML',
  title: 'List AML flags',
  description: 'All flags, newest first.',
  method: 'GET',
  path: '/v1/admin/aml/flags',
  effect: 'read',
  permission: 'aml:read',
  query: byId.query(wire.flagFilters),
  status: 200,
  answer: wire.AMLFlagList,
  refuses: [],
  handle: ({ db, query }) =>
    byId.page(query, (before, most) => amlFlags.all(db, { filter: filterOf(query), before, most }), flagView),
});

export const countAmlFlagsAsAdmin = forAdmins({
  id: 'countAmlFlags',
  area: 'Admin AML',
  title: 'Count AML flags',
  description: 'How many flags there are, in all and by status, with the filters of the list.',
  method: 'GET',
  path: '/v1/admin/aml/flags/count',
  effect: 'read',
  permission: 'aml:read',
  query: z.strictObject(wire.flagFilters),
  status: 200,
  answer: CountResponse,
  refuses: [],
  async handle({ query, db }) {
    const counted = await countAmlFlags.all(db, filterOf(query));
    return {
      count: counted.reduce((sum, { count }) => sum + count, 0),
      by_status: Object.fromEntries(counted.map(({ status, count }) => [status, count])),
    };
  },
});

export const getAmlFlag = forAdmins({
  id: 'getAmlFlag',
  area: 'Admin AML',
  title: 'Get AML flag',
  description: 'One flag with its hits, what explains them, and its history.',
  method: 'GET',
  path: '/v1/admin/aml/flags/{id}',
  effect: 'read',
  permission: 'aml:read',
  params,
  status: 200,
  answer: wire.AMLFlag,
  refuses: [],
  async handle({ params: { id }, db }) {
    return flagView(found(await amlFlagById.first(db, { id })));
  },
});

export const resolveFlag = forAdmins({
  id: 'resolveAmlFlag',
  area: 'Admin AML',
  title: 'Clear or mark false positive on AML flag',
  description:
    'Resolves a flag as harmless. What it held goes on once no other flag holds it. Refused for whoever raised the flag, is its customer or gains by the payment. A critical flag, and one that somebody else would confirm, takes two reviewers who are independent of each other: the first one gets the flag as it is, with `second_review`.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/aml/flags/{id}/resolve',
  effect: 'own_transactions',
  permission: 'aml:review',
  params,
  body: wire.AMLFlagResolution,
  status: 200,
  answer: wire.AMLFlag,
  refuses: ['already_decided', 'same_person'],
  async handle(request, services) {
    const { resolution: wanted, note, suppress } = request.body;
    const until = suppress?.until;
    const ahead = until === undefined ? 1 : until.getTime() - now().getTime();
    if (ahead <= 0 || ahead > LONGEST_SUPPRESSION_MILLISECONDS)
      throw faultIn('/suppress/until', 'out_of_range', 'must lie ahead, by 90 days at most');
    return flagView(await resolveAmlFlag(request, request.params.id, { wanted, note, until }, services));
  },
});

export const confirmFlag = forAdmins({
  id: 'confirmAmlFlag',
  area: 'Admin AML',
  title: 'Confirm AML flag',
  description:
    'Confirms the suspicion: what the flag holds is rejected, and a report of suspicious activity is opened as a draft. With `freeze` the accounts are frozen. It takes two reviewers who are independent of each other, and one if a person has raised the flag; the first one gets the flag as it is, with `second_review`. Who may not do so is as for resolving it.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/aml/flags/{id}/confirm',
  effect: 'own_transactions',
  permission: 'aml:review',
  params,
  body: wire.AMLFlagConfirmation,
  status: 200,
  answer: wire.AMLFlag,
  refuses: ['already_decided', 'same_person'],
  beyond: true,
  async handle(request, services) {
    const { note, freeze } = request.body;
    const resolution = { wanted: 'confirmed', note, freeze } as const;
    return flagView(await resolveAmlFlag(request, request.params.id, resolution, services));
  },
});

/** In the order of the documentation. */
export const operations = [listAmlFlags, countAmlFlagsAsAdmin, getAmlFlag, resolveFlag, confirmFlag];
