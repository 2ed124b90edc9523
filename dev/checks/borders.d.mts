/** By folder, what it may import beside itself. */
export const mayImport: Readonly<Record<string, readonly string[]>>;
