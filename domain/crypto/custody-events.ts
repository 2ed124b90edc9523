/** What the custodian tells at the door of its webhooks. */

/** `waiting`: it is processed next; `done`: nothing is left to do; `aside`: somebody has to look. */
export const CUSTODY_EVENT_STATUSES = ['waiting', 'done', 'aside'] as const;
export type CustodyEventStatus = (typeof CUSTODY_EVENT_STATUSES)[number];
