export function startOf(pid: number): string | undefined;
export function stillRuns(pid: number, start: string | undefined): boolean;
