export declare const nodes: Readonly<Record<string, string>>;
export declare const majors: readonly string[];
