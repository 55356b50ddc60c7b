/** The rules of speedscope files, based on its file-format-spec.ts. */

interface Profile {
  readonly type: string;
  readonly name: string;
  readonly unit: string;
  readonly startValue: number;
  readonly endValue: number;
  readonly events?: readonly { readonly type: string; readonly at: number; readonly frame: number }[];
  readonly samples?: readonly (readonly number[])[];
  readonly weights?: readonly number[];
}

export interface SpeedscopeFile {
  readonly name: string;
  readonly frames: readonly string[];
  readonly profiles: readonly Profile[];
}

const UNITS = ['none', 'nanoseconds', 'microseconds', 'milliseconds', 'seconds', 'bytes'];

/** @throws Error that names the broken rule */
export function checkSpeedscope(text: string): SpeedscopeFile {
  const file = JSON.parse(text) as {
    readonly $schema: string;
    readonly name: string;
    readonly shared: { readonly frames: readonly { readonly name: string }[] };
    readonly profiles: readonly Profile[];
  };
  demand(
    file.$schema === 'https://www.speedscope.app/file-format-schema.json',
    'The file names its schema',
    file,
  );
  const { frames } = file.shared;
  for (const frame of frames) demand(typeof frame.name === 'string', 'A frame has a name', frame);
  for (const profile of file.profiles) checkProfile(profile, frames.length);
  return { name: file.name, frames: frames.map(({ name }) => name), profiles: file.profiles };
}

function demand(condition: boolean, rule: string, where: unknown): void {
  if (!condition) throw new Error(`${rule}: ${JSON.stringify(where)?.slice(0, 300)}`);
}

function checkProfile(profile: Profile, frameCount: number): void {
  const { type, name, unit, startValue, endValue } = profile;
  const isFrame = (frame: number): boolean => Number.isInteger(frame) && frame >= 0 && frame < frameCount;
  demand(typeof name === 'string', 'A profile has a name', profile);
  demand(UNITS.includes(unit), 'There is no such unit', unit);
  demand(startValue <= endValue, 'A profile ends after its start', profile);
  if (type === 'sampled') {
    const { samples = [], weights = [] } = profile;
    demand(samples.length === weights.length, 'Every sample has a weight', name);
    for (const sample of samples) demand(sample.every(isFrame), 'A stack is of shared frames', sample);
    for (const weight of weights) demand(weight >= 0, 'A weight is a number', weight);
    return;
  }
  demand(type === 'evented', 'There is no such type of profile', type);
  const open: number[] = [];
  let last = startValue;
  for (const event of profile.events ?? []) {
    demand(event.at >= last && event.at <= endValue, 'Events come in the order of time', event);
    last = event.at;
    demand(isFrame(event.frame), 'An event is of a shared frame', event);
    if (event.type === 'O') open.push(event.frame);
    else demand(event.type === 'C' && open.pop() === event.frame, 'A close closes the last open', event);
  }
  demand(open.length === 0, 'Every open is closed', open);
}
