import type { CircuitRules } from './circuit.ts';
import type { EnvName } from '#shared/platform/env.ts';
import { env } from '#shared/platform/env.ts';

/** The variables that the rules are made of: for the workers that open, probe and close circuits. */
export const circuitVariables = [
  'CIRCUIT_FAILURES',
  'CIRCUIT_DELIVERIES',
  'CIRCUIT_WINDOW_SECONDS',
  'CIRCUIT_TIMEOUTS',
  'CIRCUIT_GIVE_UP_SECONDS',
  'PROBE_DELAYS_SECONDS',
] as const satisfies readonly EnvName[];

/** When an endpoint of this environment counts as failing. */
export function circuitRules(): CircuitRules {
  return {
    failures: env('CIRCUIT_FAILURES'),
    deliveries: env('CIRCUIT_DELIVERIES'),
    windowSeconds: env('CIRCUIT_WINDOW_SECONDS'),
    timeouts: env('CIRCUIT_TIMEOUTS'),
    giveUpSeconds: env('CIRCUIT_GIVE_UP_SECONDS'),
    probeDelaysSeconds: env('PROBE_DELAYS_SECONDS'),
  };
}
