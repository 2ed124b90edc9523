/** Wire shapes of sanctions lists and of searches in them. */
import { z } from 'zod';
import { ScreeningLoadId, UserId } from '../../../domain/ids.ts';
import { LIST_SOURCES, LOAD_STATUSES } from '../../../domain/screening/lists.ts';
import { named, shown } from '../../wire/naming.ts';
import { listOf, Timestamp } from '../../wire/shapes.ts';
import { ScreeningExplanation, ScreeningSubject } from './schemas.ts';

export const Source = z.enum(LIST_SOURCES);
export const LoadStatus = z.enum(LOAD_STATUSES);
const Count = z.int().min(0);

export const ScreeningList = named(
  'ScreeningList',
  z.strictObject({
    id: ScreeningLoadId,
    source: Source,
    version: z.int().nullable().describe('Counts up with each file of the source that took effect.'),
    status: LoadStatus.describe(
      '`pending_change` waits for an administrator, because more than a tenth of the entries is missing.',
    ),
    checksum: z.string().describe('SHA-256 of the files, in hexadecimal digits.'),
    published_at: Timestamp.nullable().describe('What the file says of itself.'),
    counts: z.strictObject({ person: Count, company: Count, vessel: Count, aircraft: Count, names: Count }),
    added: Count,
    changed: Count,
    removed: Count,
    error: z
      .strictObject({ line: z.int(), reason: z.string() })
      .optional()
      .describe('Where and why a file was refused.'),
    agreed_by: UserId.nullable(),
    loaded_at: Timestamp.nullable().describe('When it took effect.'),
    created_at: Timestamp,
    stale: z.boolean().describe('True for a version that is older than `AML_LIST_MAX_AGE_DAYS`.'),
  }),
  {
    id: '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e',
    source: 'own',
    version: 3,
    status: 'loaded',
    checksum: 'a3f1c2d4e5b60718293a4b5c6d7e8f90a3f1c2d4e5b60718293a4b5c6d7e8f90',
    published_at: null,
    counts: { person: 14, company: 5, vessel: 1, aircraft: 0, names: 31 },
    added: 2,
    changed: 1,
    removed: 0,
    agreed_by: null,
    loaded_at: '2026-03-01T09:30:00.000Z',
    created_at: '2026-03-01T09:30:00.000Z',
    stale: false,
  },
);
export const ScreeningListList = listOf('ScreeningListList', ScreeningList);

export const ScreeningSearch = named(
  'ScreeningSearch',
  z.strictObject({
    asked: ScreeningSubject,
    lists: z.array(Source).min(1).optional().describe('Default: every list in force.'),
  }),
  { asked: { kind: 'person', name: 'Dragan Vasiljković' } },
);

export const ScreeningSearchAnswer = named(
  'ScreeningSearchAnswer',
  z.strictObject({
    matches: z
      .array(
        z.strictObject({
          list: Source,
          list_version: z.int(),
          entry_id: z.string().describe('What the list knows the entry by.'),
          programme: z.string().nullable(),
          reference: z.string().nullable(),
          score: z.int(),
          hit: z.boolean().describe('Whether the score reaches `AML_MATCH_THRESHOLD`.'),
          explanation: ScreeningExplanation,
        }),
      )
      .describe('The best first; also weaker ones that are no hit.'),
  }),
  {
    matches: [
      {
        list: 'own',
        list_version: 3,
        entry_id: 'T-1',
        programme: 'TEST',
        reference: 'T-1',
        score: 100,
        hit: true,
        explanation: shown(ScreeningExplanation),
      },
    ],
  },
);
