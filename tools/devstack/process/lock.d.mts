export type Lock = { taken: true; release: () => void } | { taken: false; owner: number };
export function tryLock(folder: string): Lock;
export function withLock<T>(
  folder: string,
  waiting: (owner: number) => void,
  work: () => Promise<T> | T,
): Promise<T>;
