import { expect, test } from 'vitest';
import { shownState, stateOf, toneOfState } from '#console/page/endpoint-state.ts';
import { toneOf } from '#console/page/tone.ts';

const endpoint = 'https://partner.example.com/hooks';
const failingSince = '2026-01-15T12:00:00.000Z';

test.each([
  ['that is not listed is well', [], 'WELL', 'good'],
  ['that only has a backlog is well', [{ endpoint, state: 'CLOSED' }], 'WELL', 'good'],
  [
    'that takes nothing, with its circuit closed, fails',
    [{ endpoint, state: 'CLOSED', failingSince }],
    'FAILING',
    'bad',
  ],
  ['with an open circuit has that', [{ endpoint, state: 'OPEN', failingSince }], 'OPEN', 'bad'],
  ['of an origin that fails has its state', [{ endpoint: new URL(endpoint).origin, state: 'HELD' }], 'HELD', 'waits'],
  ['beside another that fails is well', [{ endpoint: `${endpoint}/2`, state: 'OPEN', failingSince }], 'WELL', 'good'],
  [
    'has the state that stops it before the failures of its origin',
    [
      { endpoint: new URL(endpoint).origin, state: 'CLOSED', failingSince },
      { endpoint, state: 'BUSY' },
    ],
    'BUSY',
    'waits',
  ],
] as const)('an endpoint %s', (_case, health, state, tone) => {
  expect([stateOf(endpoint, health), toneOfState(stateOf(endpoint, health))]).toEqual([state, tone]);
});

test('the word of a closed circuit is never shown', () => {
  expect([shownState({ state: 'CLOSED' }), shownState({ state: 'CLOSED', failingSince })]).toEqual(['WELL', 'FAILING']);
});

test('a closed account is not green', () => {
  expect(['ACTIVE', 'INACTIVE', 'CLOSED'].map(toneOf)).toEqual(['good', 'ended', 'ended']);
});
