/** Ties a process to the workflow that carries it out. */
import type { Process } from '../domain/process.ts';
import type * as workflows from './index.ts';

/** The process of one of the bundle's workflows: a name that index.ts does not export, or another input, does not compile. */
export type ProcessOf<Name extends keyof typeof workflows> = (typeof workflows)[Name] extends (
  input: infer Input,
) => unknown
  ? Process<Input> & { readonly type: Name }
  : never;
