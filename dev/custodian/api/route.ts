/** The declaration of an API call, and what calls need to read their input. */
import type { z } from 'zod';
import { ASSETS, type Asset } from '../assets.ts';
import type { Vault } from '../state/records.ts';
import type { World } from '../state/world.ts';
import { badRequest, CODES, notFound } from './refused.ts';

export interface Request {
  /** Values of the `{}` in the path, in order. */
  readonly params: readonly string[];
  readonly query: URLSearchParams;
  /** An empty object if no body was sent. */
  readonly body: unknown;
  /** Scheme, host and path of the request, for links to further pages. */
  readonly address: string;
}

export interface Reply {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Route {
  /** Name of the call for faults and in the log. */
  readonly call: string;
  readonly method: 'GET' | 'POST';
  /** Path below `/v1`; `{}` matches one segment. */
  readonly path: string;
  handle(request: Request): Reply;
}

/** Reads a body or a query; throws a 400 that names the field. */
export function read<Shape extends z.ZodType>(
  shape: Shape,
  found: unknown,
  code: number | null = null,
): z.output<Shape> {
  const parsed = shape.safeParse(found);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`);
  throw badRequest(faults.join('; '), code);
}

export function vaultIn(world: World, id: string | undefined): Vault {
  const vault = world.vaults.get(id ?? '');
  if (vault === undefined) throw notFound('Vault account was not found', CODES.noVault);
  return vault;
}

export function assetIn(id: string | undefined): Asset {
  const asset = ASSETS.get(id ?? '');
  if (asset === undefined) throw notFound(`Asset ${id ?? ''} does not exist`, CODES.noAsset);
  return asset;
}
