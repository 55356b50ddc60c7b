export declare const reportFolder: string;
export declare const entryNames: readonly string[];
export declare function writeApiReports(folder: string): Promise<void>;
