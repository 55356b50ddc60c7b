export function missingPrograms(names: readonly string[]): string[];
