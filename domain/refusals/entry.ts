/** One "no": what happened and what helps. */
export interface Entry {
  readonly status: 400 | 401 | 403 | 404 | 406 | 409 | 413 | 415 | 429 | 500 | 503;
  readonly title: string;
  readonly cause: string;
  readonly cure: string;
}
