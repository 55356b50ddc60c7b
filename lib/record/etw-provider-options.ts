/** What an ETW session records of a provider: the options of `EtwSession.enable`, checked, as ETW's numbers and filters. */
import { shown } from '../base/value-text.ts';
import { registeredProviderGuid } from '../platform/etw-lists.ts';
import type { ProviderRequest } from '../platform/etw-session.ts';
import {
  ControlCode,
  type EnableFilter,
  EnableProperty,
  eventIdFilter,
  eventNameFilter,
  executableFilter,
  FilterLimit,
  type LevelAndKeywords,
  processIdFilter,
  stackIdFilter,
  stackLevelFilter,
} from '../wire/etw/enable-filters.ts';
import { isGuidText } from '../wire/guid.ts';
import { providerGuid } from '../wire/provider-guid.ts';
import { ALL_KEYWORDS } from '../wire/schema.ts';

/** What to record of a provider. */
export interface EtwProviderOptions {
  /** Records only events up to this level; default 255, all. */
  readonly level?: number;
  /** 64 bits: only events with one of these keywords, or without keywords; default all. */
  readonly keywords?: bigint;
  /** 64 bits: of these, only events with all of these keywords, or without keywords; default 0n, any. */
  readonly allKeywords?: bigint;
  /** Leaves out events without keywords. */
  readonly ignoresKeyword0?: boolean;
  /** Records only events with these ids, up to 64. */
  readonly eventIds?: readonly number[];
  /** Records only events with other ids than these, up to 64. */
  readonly exceptEventIds?: readonly number[];
  /** Records only events with these names: for TraceLogging providers, whose events have no ids. */
  readonly eventNames?: readonly string[];
  /** Records only events with other names than these. */
  readonly exceptEventNames?: readonly string[];
  /** Records only processes with these ids, up to 8. */
  readonly processIds?: readonly number[];
  /** Records only processes of these programs, such as node.exe. */
  readonly executables?: readonly string[];
  /** Adds a stack to each event, to those with these ids, or to those up to this level with one of these keywords. */
  readonly stacks?: boolean | readonly number[] | EtwStackFilter;
  /** Adds to each event the security identifier of the user. */
  readonly withUser?: boolean;
  /** Adds to each event the number of the terminal session. */
  readonly withTerminalSession?: boolean;
  /** Adds to each event a number of its process that no later one has. */
  readonly withProcessStartKey?: boolean;
  /** Adds to each event a number that it has in all sessions. */
  readonly withEventKey?: boolean;
  /** The GUID is that of a group of providers. */
  readonly isGroup?: boolean;
}

/** Which events get stacks. */
export interface EtwStackFilter {
  /** Default 255, all. */
  readonly level?: number;
  /** 64 bits; default all. */
  readonly keywords?: bigint;
}

const ALL_LEVELS = 255;
const MAX_UINT_16 = 0xffff;
const MAX_UINT_32 = 0xffff_ffff;

/** A provider is a GUID, or a name: that of a registered provider, or one from which the GUID follows. */
export function providerGuidOf(provider: string): string {
  if (typeof provider !== 'string' || provider === '') {
    throw new TypeError(`An ETW provider must be a name or a GUID, not ${shown(provider)}.`);
  }
  const unbraced = provider.replace(/^\{(.*)\}$/, '$1');
  return isGuidText(unbraced) ? unbraced : (registeredProviderGuid(provider) ?? providerGuid(provider));
}

/** @throws TypeError, RangeError */
export function enableRequest(provider: string, options: EtwProviderOptions): ProviderRequest {
  const of = levelAndKeywords(provider, options);
  return {
    provider: providerGuidOf(provider),
    code: ControlCode.Enable,
    ...of,
    properties: enableProperties(options),
    filters: filtersOf(provider, options, of),
  };
}

/** @throws RangeError */
export function levelAndKeywords(
  provider: string,
  { level = ALL_LEVELS, keywords = ALL_KEYWORDS, allKeywords = 0n }: EtwProviderOptions,
): LevelAndKeywords {
  if (!Number.isInteger(level) || level < 0 || level > ALL_LEVELS) {
    throw new RangeError(`The level of ${provider} must be an integer from 0 to 255, not ${shown(level)}.`);
  }
  for (const bits of [keywords, allKeywords]) {
    if (typeof bits !== 'bigint' || bits < 0n || bits > ALL_KEYWORDS) {
      throw new RangeError(`Keywords of ${provider} must be a bigint of 64 bits, not ${shown(bits)}.`);
    }
  }
  return { level, anyKeyword: keywords, allKeyword: allKeywords };
}

function enableProperties(options: EtwProviderOptions): number {
  return (
    (options.withUser === true ? EnableProperty.Sid : 0) |
    (options.withTerminalSession === true ? EnableProperty.TerminalSessionId : 0) |
    (options.stacks !== undefined && options.stacks !== false ? EnableProperty.StackTrace : 0) |
    (options.ignoresKeyword0 === true ? EnableProperty.IgnoreKeyword0 : 0) |
    (options.isGroup === true ? EnableProperty.ProviderGroup : 0) |
    (options.withProcessStartKey === true ? EnableProperty.ProcessStartKey : 0) |
    (options.withEventKey === true ? EnableProperty.EventKey : 0)
  );
}

function filtersOf(provider: string, options: EtwProviderOptions, of: LevelAndKeywords): EnableFilter[] {
  const { eventIds, exceptEventIds, eventNames, exceptEventNames, processIds, executables, stacks } = options;
  exclude(provider, 'eventIds', eventIds, exceptEventIds);
  exclude(provider, 'eventNames', eventNames, exceptEventNames);
  const filters: EnableFilter[] = [];
  if (processIds !== undefined) {
    checkNumbers(provider, 'processIds', processIds, FilterLimit.ProcessIds, MAX_UINT_32);
    filters.push(processIdFilter(processIds));
  }
  if (executables !== undefined) {
    checkTexts(provider, 'executables', executables, /[;\0]/);
    filters.push(
      checkedSize(provider, 'executables', executableFilter(executables), FilterLimit.ExecutableBytes),
    );
  }
  const ids = eventIds ?? exceptEventIds;
  if (ids !== undefined) {
    const name = eventIds === undefined ? 'exceptEventIds' : 'eventIds';
    checkNumbers(provider, name, ids, FilterLimit.EventIds, MAX_UINT_16);
    filters.push(eventIdFilter(eventIds !== undefined, ids));
  }
  const names = eventNames ?? exceptEventNames;
  if (names !== undefined) {
    const name = eventNames === undefined ? 'exceptEventNames' : 'eventNames';
    checkTexts(provider, name, names, /\0/);
    const filter = eventNameFilter(eventNames !== undefined, names, of);
    filters.push(checkedSize(provider, name, filter, FilterLimit.NameBytes));
  }
  return [...filters, ...stackFilters(provider, stacks)];
}

function stackFilters(provider: string, stacks: EtwProviderOptions['stacks']): EnableFilter[] {
  if (stacks === undefined || typeof stacks === 'boolean') return [];
  if ('length' in stacks) {
    checkNumbers(provider, 'stacks', stacks, FilterLimit.EventIds, MAX_UINT_16);
    return [stackIdFilter(stacks)];
  }
  return [stackLevelFilter(levelAndKeywords(provider, stacks))];
}

function exclude(provider: string, name: string, included: unknown, excluded: unknown): void {
  if (included === undefined || excluded === undefined) return;
  const except = `except${name[0]?.toUpperCase()}${name.slice(1)}`;
  throw new TypeError(
    `The options ${name} (${shown(included)}) and ${except} (${shown(excluded)}) of ${provider} exclude each other.`,
  );
}

function checkNumbers(
  provider: string,
  name: string,
  ids: readonly number[],
  limit: number,
  max: number,
): void {
  if (!Array.isArray(ids) || ids.length === 0 || ids.length > limit) {
    const given = Array.isArray(ids) ? String(ids.length) : shown(ids);
    throw new RangeError(`The option ${name} of ${provider} takes 1 to ${limit} ids, not ${given}.`);
  }
  const bad = ids.find((id) => !Number.isInteger(id) || id < 0 || id > max);
  if (bad === undefined) return;
  throw new RangeError(`The option ${name} of ${provider} takes ids from 0 to ${max}, not ${shown(bad)}.`);
}

function checkTexts(provider: string, name: string, texts: readonly string[], forbidden: RegExp): void {
  const isList = Array.isArray(texts) && texts.length > 0;
  const bad = isList
    ? texts.find((text) => typeof text !== 'string' || text === '' || forbidden.test(text))
    : texts;
  if (isList && bad === undefined) return;
  throw new TypeError(`The option ${name} of ${provider} takes a list of names, not ${shown(bad)}.`);
}

function checkedSize(provider: string, name: string, filter: EnableFilter, limit: number): EnableFilter {
  if (filter.data.length <= limit) return filter;
  throw new RangeError(
    `The option ${name} of ${provider} has ${filter.data.length} bytes; an ETW session takes ${limit}.`,
  );
}
