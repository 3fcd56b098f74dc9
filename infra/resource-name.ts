import type { EnvironmentSettings } from './settings.ts';

/**
 * Returns the name of a function or a queue. Alarms and roles know the name before anything is deployed. A reference
 * would fix the order of the deployment, and an export would keep the function as long as an alarm watches it.
 */
export function resourceName({ name }: Pick<EnvironmentSettings, 'name'>, suffix: string): string {
  return `banking-order-${name}-${suffix}`;
}
