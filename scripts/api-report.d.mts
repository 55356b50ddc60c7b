export declare const reportFolder: string;
export declare const entryNames: readonly string[];
export declare function writeApiReports(folder: string): Promise<void>;
export declare function packageEntries(): Readonly<Record<'exports' | 'typesVersions', object>>;
