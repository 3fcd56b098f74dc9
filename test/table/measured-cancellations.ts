import type { Store } from '#shared/platform/table/store.ts';
import type { Answer } from '../support/api.ts';
import { companyOne } from '../support/bank-world.ts';
import { compositeBody, subscriptionWorld } from '../support/subscription-world.ts';
import type { Measured } from './measured-operations.ts';

/** What requests to end a subscription cost, also where it has had as many as it can have. */
export function measuredCancellations(store: Store): readonly Measured[] {
  const world = subscriptionWorld({ wrap: () => store, seed: 'cancellations' });
  const accountId = 'aaaaaaaa-aaaa-4aaa-8aaa-0000000000c0';
  const created = async (): Promise<string> => {
    const more = { accountId, webhookUrl: 'https://127.0.0.1:9/events', description: 'Plano anual de entregas' };
    return (await world.created(compositeBody({ ...more, startDate: '2026-02-10' }), `create-${(keys += 1)}`)).id;
  };
  let keys = 0;
  let asked = '';
  let withdrawn = '';
  const ok = async (response: Promise<Answer>): Promise<void> => {
    const { status, text } = await response;
    if (status > 201) throw new Error(`${status} ${text}`);
  };
  const request = (id: string): Promise<void> =>
    ok(
      world.cancel({
        companyId: companyOne,
        key: `cancel-${(keys += 1)}`,
        params: { id },
        body: { reason: 'PAYER_DECEASED' },
      }),
    );
  const force = (status: string): Promise<void> => ok(world.forceSubscription(asked, status));
  const prepare = async (): Promise<void> => {
    await world.openAccount(0, { id: accountId });
    asked = await created();
    withdrawn = await created();
    await force('ACCEPTED');
  };
  const untilRequests = async (count: number): Promise<void> => {
    const { cancellations } = (await world.get(asked)).body as { cancellations: unknown[] };
    for (let requestCount = cancellations.length; requestCount < count; requestCount += 1) {
      await request(asked);
      await force('CANCELLATION_REJECTED');
    }
  };
  return [
    { name: '(made)', kind: 'other', run: prepare },
    { name: 'Request cancellation, the 1st', kind: 'command', run: () => request(asked) },
    { name: 'The bank rejects it', kind: 'tool', run: () => force('CANCELLATION_REJECTED') },
    { name: '(until there are 10)', kind: 'other', run: () => untilRequests(10) },
    { name: 'Request cancellation, the 11th', kind: 'command', run: () => request(asked) },
    { name: 'The bank rejects it', kind: 'tool', run: () => force('CANCELLATION_REJECTED') },
    { name: '(until there are 49)', kind: 'other', run: () => untilRequests(49) },
    { name: 'Request cancellation, the 50th and last', kind: 'command', run: () => request(asked) },
    { name: 'The bank rejects it', kind: 'tool', run: () => force('CANCELLATION_REJECTED') },
    { name: 'Get subscription with 50 requests', kind: 'read', run: () => ok(world.get(asked)) },
    { name: 'Withdraw subscription and first charge', kind: 'other', run: () => request(withdrawn) },
  ];
}
