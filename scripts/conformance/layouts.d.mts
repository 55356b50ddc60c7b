/** The types of `layouts.mjs`, for tests in TypeScript. */
import type { Report } from './report.mjs';

export interface Layout {
  readonly name: string;
  applies(dir: string): boolean;
  run(dir: string, report: Report): void | Promise<void>;
}

export declare const layouts: readonly Layout[];
