/** What `report.mjs` gives to the tests, which are TypeScript. */
export declare class Report {
  readonly passed: readonly string[];
  readonly failed: readonly { readonly id: string; readonly difference: string }[];
}
