import type { EnvironmentSettings } from '../settings.ts';

/** CloudFormation passes them on to every resource: what the bill is split by. */
export function stackTags({ name }: EnvironmentSettings): Record<string, string> {
  return { service: 'banking-order', environment: name };
}
