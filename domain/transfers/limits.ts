/** Whose transfers a limit counts together: those of the customer, of one account, or to one recipient. */
export const limitSubjects = ['user', 'account', 'recipient'] as const;
export type LimitSubject = (typeof limitSubjects)[number];
