import type { Circuit, CircuitRules } from '#shared/webhooks/health/circuit.ts';

/** The rules of production. */
export const circuitRules: CircuitRules = {
  failures: 50,
  deliveries: 25,
  windowSeconds: 600,
  timeouts: 10,
  probeDelaysSeconds: [60, 120, 240, 480, 900],
  disableAfterSeconds: 5 * 86_400,
};

/** What workers know of circuits, for tests that are not about them. */
export const circuit = { rules: circuitRules, onHealth: (): void => undefined };

type Without<Union, Names extends string> = Union extends unknown ? Omit<Union, Names> : never;
/** A circuit, whosever it is. */
export type CircuitState = Without<Circuit, 'name' | 'url'>;
