/** The database that is copied for each test with a bank of its own; its name stands alone, so that naming it loads nothing. */
export const TEMPLATE = 'teller_template';
