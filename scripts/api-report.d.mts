export const reportFolder: string;
export const entryNames: readonly string[];
export function apiReport(name: string, folder: string): Promise<string>;
