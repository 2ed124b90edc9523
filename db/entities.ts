/** All entities; MikroORM needs them in one list. */
export const entities = [] as const;
