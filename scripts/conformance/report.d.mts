/** The types of `report.mjs`, for tests in TypeScript. */
export declare class Report {
  readonly passed: readonly string[];
  readonly failed: readonly { readonly id: string; readonly difference: string }[];
  tryAsync(id: string, run: () => unknown): Promise<void>;
}
