export function isRequired(name: string): boolean;
