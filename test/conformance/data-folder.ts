/**
 * Locates the conformance data: real traces and byte-exact cases that are not part of the project. Tests that need it
 * are skipped without it, and say so.
 */
import { isRequired } from '../../scripts/lib/require.mjs';

/** The folder, if the environment names one. */
export const dataFolder = process.env.TRACEWRIGHT_DATA || undefined;

/** Set TRACEWRIGHT_REQUIRE=data to have its absence fail instead of skip. */
export const dataIsRequired = isRequired('data');

/** For test names. */
export const SKIP_REASON = 'skipped where TRACEWRIGHT_DATA names no folder';
