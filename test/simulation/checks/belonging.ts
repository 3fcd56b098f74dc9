import type { Item } from '#shared/platform/table/store.ts';
import type { Actor } from '../world/actors.ts';
import type { Finding } from '../world/history.ts';
import type { Change } from '../world/table.ts';

const textOf = (item: Item | undefined, name: string): string => {
  const value = item?.[name];
  return typeof value === 'string' ? value : '';
};
const partOf = (item: Item | undefined, name: string): Item | undefined => {
  const value = item?.[name];
  return typeof value === 'object' && value !== null ? (value as Item) : undefined;
};

const unpaid = new Set(['EXPIRED', 'CANCELED', 'ERROR']);
const open = new Set(['PENDING_AUTHORIZATION', 'ACCEPTED']);

/**
 * Resources that belong together move together: a subscription and its first charge, a scheduled payment and the order
 * that it settles, a recurrence and the end of its time.
 */
export function belongingChecks(finding: Finding) {
  const statuses = new Map<string, string>();
  return (changes: readonly Change[], actor: Actor | undefined): void => {
    const committed = (entity: string): readonly Change[] =>
      changes.filter(({ before, after }) => textOf(after ?? before, 'entity') === entity);
    for (const { after } of committed('SUBSCRIPTION'))
      if (after !== undefined) statuses.set(textOf(after, 'id'), textOf(after, 'status'));
    for (const { before, after } of committed('PAY_IN')) {
      const subscription = partOf(after, 'subscription');
      const isFirst = subscription !== undefined && partOf(subscription, 'scheduledPayment') === undefined;
      const hasEnded = textOf(before, 'status') === 'PENDING' && unpaid.has(textOf(after, 'status'));
      // The tool moves the charge alone.
      if (!isFirst || !hasEnded || actor?.name === 'forceOrderStatus') continue;
      if (statuses.get(textOf(subscription, 'id')) === 'PENDING_AUTHORIZATION')
        finding('no subscription waits for an unpaid first charge', `subscription ${textOf(subscription, 'id')}`, [
          textOf(subscription, 'id'),
        ]);
    }
    for (const { before, after } of committed('SCHEDULED_PAYMENT')) {
      if (textOf(after, 'status') !== 'COMPLETED' || textOf(before, 'status') === 'COMPLETED') continue;
      const order = committed('PAY_IN').find((one) => textOf(one.after, 'id') === textOf(after, 'orderId'))?.after;
      const scheduledPayment = partOf(partOf(order, 'subscription'), 'scheduledPayment');
      if (textOf(order, 'status') !== 'PAID' || textOf(scheduledPayment, 'id') !== textOf(after, 'id'))
        finding('a completed payment has its order', `payment ${textOf(after, 'id')}`, [textOf(after, 'id')]);
    }
    for (const { before, after } of committed('SUBSCRIPTION')) {
      if (before !== undefined || textOf(after, 'endDate') === '' || !open.has(textOf(after, 'status'))) continue;
      // Where its bank is asked, that bank ends it.
      const ends = [...committed('RECURRENCE_END'), ...committed('AUTHORIZATION_POLL')];
      if (ends.length === 0)
        finding('a recurrence expires at its end date', `subscription ${textOf(after, 'id')}`, [textOf(after, 'id')]);
    }
    for (const { before, after } of committed('RECURRENCE_END')) {
      const id = /#SUB#([^#]+)#/u.exec(before?.PK ?? '')?.[1] ?? '';
      if (after === undefined && open.has(statuses.get(id) ?? ''))
        finding('a recurrence expires at its end date', `subscription ${id} lost its expiry`, [id]);
    }
  };
}
