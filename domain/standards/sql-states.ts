/** The codes by which a database says what it refuses: SQLSTATE of ISO/IEC 9075, with the classes that PostgreSQL adds to it. */

/** Tells such a code from those of other errors, such as `EPIPE`. */
export const SQL_STATE = /^(?:[0-9][0-9A-Z]|F0|HV|P0|XX)[0-9A-Z]{3}$/;
