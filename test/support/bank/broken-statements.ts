/** Statements that PostgreSQL refuses however often they are repeated. */

/** 23514: more than the domain of amounts can hold. */
export const OVERFLOW = 'select (10::numeric ^ 38)::minor';

/** P0001, as the functions of the books raise it for what must not happen. */
export const RAISE = `do $$ begin raise exception 'the books do not do this'; end $$`;
