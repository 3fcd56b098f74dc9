import type * as z from 'zod';
import { ForceScheduledPaymentStatus } from '#functions/order-tools/force-scheduled-payment-status/contract.ts';
import { forceScheduledPaymentStatus } from '#functions/order-tools/force-scheduled-payment-status/handler.ts';
import { CancelScheduledPayment } from '#functions/scheduled-payments/cancel/contract.ts';
import { cancelScheduledPayment } from '#functions/scheduled-payments/cancel/handler.ts';
import { CreateScheduledPayment } from '#functions/scheduled-payments/create/contract.ts';
import { createScheduledPayment } from '#functions/scheduled-payments/create/handler.ts';
import { GetScheduledPayment } from '#functions/scheduled-payments/get/contract.ts';
import { getScheduledPayment } from '#functions/scheduled-payments/get/handler.ts';
import { ListScheduledPayments } from '#functions/scheduled-payments/list/contract.ts';
import { listScheduledPayments } from '#functions/scheduled-payments/list/handler.ts';
import type { ScheduledPaymentRecord } from '#shared/scheduled-payments/contract.ts';
import type { ScheduleWindow } from '#shared/scheduled-payments/window.ts';
import { companyItem } from '#shared/platform/company.ts';
import { newCursorKey } from '#shared/platform/table/cursor.ts';
import type { Answer } from './api.ts';
import { caller } from './api.ts';
import { account, companyOne } from './bank-world.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import type { JobKind } from '#shared/jobs/jobs.ts';
import { dueFamilies } from '#shared/platform/jobs/due-kinds.ts';
import { runCounted } from './run-jobs.ts';
import { isAfterExecution } from '#shared/scheduled-payments/window.ts';
import { subscriptionBody, subscriptionWorld } from './subscription-world.ts';

export type PaymentWorld = Awaited<ReturnType<typeof paymentWorld>>;
export type PaymentRecord = z.output<typeof ScheduledPaymentRecord>;
type WorldOptions = Parameters<typeof subscriptionWorld>[0] & {
  readonly schedule?: ScheduleWindow;
  readonly accountId?: string;
};

/** The kinds of a minute of `advance-scheduled-payments`. They run concurrently, as its queue brings them. */
const kindsAt = (at: Instant): readonly JobKind[] => [
  ...(isAfterExecution(at) ? dueFamilies.RESENDS : []),
  ...dueFamilies.PAYMENTS,
];

/** The service around scheduled payments, with one account and one accepted subscription. */
export async function paymentWorld(
  { schedule, accountId = account, ...options }: WorldOptions = {},
  more: object = {},
) {
  const world = subscriptionWorld(options);
  const { store, dueRun, clock, ids } = world;
  const { bank } = world;
  const settings = schedule ? { ...world.deps.settings, schedule } : world.deps.settings;
  const deps = { ...world.deps, settings, bank };
  const run = () => ({
    ...{ ...deps, ...dueRun, now: () => clock.now },
  });
  const put = caller(CreateScheduledPayment, createScheduledPayment, deps);
  const read = caller(GetScheduledPayment, getScheduledPayment, deps);
  const listed = caller(ListScheduledPayments, listScheduledPayments, deps);
  const cancel = caller(CancelScheduledPayment, cancelScheduledPayment, deps);
  const tool = caller(ForceScheduledPaymentStatus, forceScheduledPaymentStatus, deps);
  await world.openAccount(0, { id: accountId });
  const company = { companyId: companyOne, organizationId: ids.uuid(), name: 'Empresa', createdAt: clock.now };
  await store.write([{ put: companyItem({ ...company, cursorKey: newCursorKey() }) }], ids.uuid());
  const accepted = async (body: object): Promise<string> => {
    const { id } = await world.created(subscriptionBody({ accountId, ...body }));
    await world.forceSubscription(id, 'ACCEPTED');
    return id;
  };
  const subscriptionId = await accepted(more);
  const schedulePayment = (
    body: object,
    targetSubscriptionId = subscriptionId,
    companyId = companyOne,
  ): Promise<Answer> => put({ companyId, params: { id: targetSubscriptionId }, body });
  return {
    ...world,
    deps,
    bank,
    companyId: companyOne,
    subscriptionId,
    /** Another accepted subscription. */
    accepted,
    schedule: schedulePayment,
    /** The same, for a request that must be accepted. */
    scheduled: async (body: object, targetSubscriptionId = subscriptionId): Promise<PaymentRecord> => {
      const response = await schedulePayment(body, targetSubscriptionId);
      if (response.status !== 201) throw new Error(`${response.status} ${response.text}`);
      return response.body as PaymentRecord;
    },
    /** The simulation tool for orders. */
    forceOrder: world.force,
    force: (id: string, status: string, companyId = companyOne) => tool({ companyId, body: { id, status } }),
    /** Several moves in a row, each of which must be accepted. */
    forced: async (id: string, ...statuses: readonly string[]): Promise<void> => {
      for (const status of statuses) {
        const response = await tool({ companyId: companyOne, body: { id, status } });
        if (response.status !== 200) throw new Error(`${response.status} ${response.text}`);
      }
    },
    payment: async (id: string, targetSubscriptionId = subscriptionId): Promise<PaymentRecord> =>
      (await read({ companyId: companyOne, params: { id: targetSubscriptionId, paymentId: id } }))
        .body as PaymentRecord,
    readPayment: read,
    list: (
      query: Readonly<Record<string, string>> = {},
      targetSubscriptionId = subscriptionId,
      companyId = companyOne,
    ) => listed({ companyId, params: { id: targetSubscriptionId }, query }),
    withdraw: (paymentId: string, key: string, body: object = {}, targetSubscriptionId = subscriptionId) =>
      cancel({ companyId: companyOne, params: { id: targetSubscriptionId, paymentId }, body, key }),
    /** Every payment of the subscription by due date, as one page. */
    all: async (targetSubscriptionId = subscriptionId): Promise<readonly PaymentRecord[]> =>
      (
        (await listed({ companyId: companyOne, params: { id: targetSubscriptionId }, query: { limit: '100' } }))
          .body as Page
      ).data,
    resend: async () => {
      const { count, due } = await runCounted(run(), [['SETTLEMENT_RESEND']]);
      return { resent: count('PaymentsResent'), missed: count('ResendsMissed'), due: due.SETTLEMENT_RESEND };
    },
    advance: async () => {
      const { count, due } = await runCounted(run(), [kindsAt(clock.now)]);
      return {
        released: count('PaymentsReleased'),
        canceled: count('PaymentsCanceledWithSubscription'),
        tooLate: count('CommandsMissed'),
        missed: count('ResendsMissed'),
        open: due.CHARGE_COMMAND?.failed,
        due,
      };
    },
    /** Events about one payment, in the order in which they were promised. */
    told: (id: string) =>
      world
        .notified()
        .filter(({ data }) => (data['data'] as { id?: string } | undefined)?.id === id)
        .map(({ event }) => event.replace('SUBSCRIPTION.SCHEDULED_PAYMENT.', '')),
  };
}

type Page = { readonly data: readonly PaymentRecord[] };

let sequence = 0;

/** A payment that is accepted as it stands; `more` replaces fields. */
export function paymentBody(more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  sequence += 1;
  return {
    externalId: `charge-${sequence}`,
    dueDate: '2026-01-20',
    amount: { currency: 'BRL', value: '49.90' },
    ...more,
  };
}
