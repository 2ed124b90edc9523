/** An error of the API, as Fireblocks answers it: `{message, code}`. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;
  /** Null where Fireblocks documents none. */
  readonly code: number | null;
  constructor(status: number, code: number | null, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Business error codes; those of authentication are negative. */
export const CODES = {
  listVaults: 1000,
  createVault: 1002,
  noVault: 1004,
  noAsset: 1006,
  externalIdTaken: 1438,
} as const;

export const badRequest = (message: string, code: number | null = null): Refused =>
  new Refused(400, code, message);
export const notFound = (message: string, code: number | null = null): Refused =>
  new Refused(404, code, message);
