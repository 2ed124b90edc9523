/** What handlers may use beside their request. Built once by `api/main.ts`, handed in, never fetched. */
export interface Services {
  readonly placeholder?: never;
}
