/** What the custodian tells, on the wire. */
import { z } from 'zod';
import { named } from '../../wire/naming.ts';

/** A field that cannot be used reads as null: what is signed is never turned away. */
const label = z.string().min(1).max(80).nullable().catch(null);

export const CustodianEvent = named(
  'CustodianEvent',
  z.looseObject({
    id: label.describe('The custodian’s id of the event, the same in all repeats.'),
    eventType: label.describe(
      'Events of transactions begin with `transaction.` and are processed; all others are kept as evidence.',
    ),
    resourceId: label.describe('What it is about; left out: `data.id`.'),
    data: z
      .looseObject({ id: label })
      .nullable()
      .catch(null)
      .describe('The resource as it was when the event was made.'),
  }),
  {
    ...{ id: '6f1cb1f7-7a5b-4c53-9c1e-0a3b5f0a7e11', eventType: 'transaction.status.updated' },
    ...{ resourceId: 'b3d1c0de-2f4e-4a57-8d2b-1f0f2a6c9e22', createdAt: 1_795_241_200_123 },
    data: { id: 'b3d1c0de-2f4e-4a57-8d2b-1f0f2a6c9e22', status: 'COMPLETED' },
  },
);
