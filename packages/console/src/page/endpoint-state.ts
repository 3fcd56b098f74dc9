import { originOf } from '#shared/webhooks/health/circuit.ts';
import type { ResponseBody } from '../protocol.ts';
import { toneOf } from './tone.ts';

type Health = Pick<ResponseBody<'listWebhookEndpoints'>['data'][number], 'endpoint' | 'state' | 'failingSince'>;

/** The state shown for an endpoint. `CLOSED` describes its circuit, not whether it takes notifications. */
type ShownState = Exclude<Health['state'], 'CLOSED'> | 'WELL' | 'FAILING';

export function shownState({ state, failingSince }: Omit<Health, 'endpoint'>): ShownState {
  if (state !== 'CLOSED') return state;
  return failingSince === undefined ? 'WELL' : 'FAILING';
}

/** The colour of an endpoint's state. An open circuit stops its notifications; an open credit only waits. */
export function toneOfState(state: ShownState): string {
  return state === 'OPEN' ? 'bad' : toneOf(state);
}

/** Returns the worst state of an address and of its origin, which has its own circuit. */
export function stateOf(address: string, health: readonly Health[]): ShownState {
  const states = health
    .filter(({ endpoint }) => endpoint === address || endpoint === originOf(address))
    .map(shownState);
  const stopped = states.find((state) => state !== 'WELL' && state !== 'FAILING');
  return stopped ?? (states.includes('FAILING') ? 'FAILING' : 'WELL');
}
