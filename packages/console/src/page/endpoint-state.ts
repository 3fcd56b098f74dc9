import { originOf } from '#shared/webhooks/health/circuit.ts';
import type { ResponseBody } from '../protocol.ts';

type Health = Pick<ResponseBody<'listWebhookEndpoints'>['data'][number], 'endpoint' | 'state' | 'failingSince'>;

/** The state shown for an endpoint. `CLOSED` describes its circuit, not whether it takes notifications. */
type ShownState = Exclude<Health['state'], 'CLOSED'> | 'WELL' | 'FAILING';

export function shownState({ state, failingSince }: Omit<Health, 'endpoint'>): ShownState {
  if (state !== 'CLOSED') return state;
  return failingSince === undefined ? 'WELL' : 'FAILING';
}

/** Returns the worst state of an address and of its origin, which has its own circuit. */
export function stateOf(address: string, health: readonly Health[]): ShownState {
  const states = health
    .filter(({ endpoint }) => endpoint === address || endpoint === originOf(address))
    .map(shownState);
  const stopped = states.find((state) => state !== 'WELL' && state !== 'FAILING');
  return stopped ?? (states.includes('FAILING') ? 'FAILING' : 'WELL');
}
