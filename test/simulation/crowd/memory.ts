import type { LocalDate } from '#shared/core/brasilia-time.ts';

/** What a partner remembers of what it made. */
export type Remembered = {
  readonly payIns: {
    readonly id: string;
    readonly accountId: string;
    readonly amount: string;
    readonly qrcode: string;
    readonly externalId: string;
  }[];
  /** Pay-ins that payouts of the same company paid, or tried to. */
  readonly ownCharges: string[];
  readonly refunds: { readonly id: string; readonly refundId: string }[];
  readonly payouts: { readonly id: string; readonly children: readonly string[] }[];
  readonly subscriptions: {
    readonly id: string;
    readonly frequency: string;
    readonly startDate: LocalDate;
    readonly isFixed: boolean;
    cycles: number;
    isAccepted: boolean;
    webhookUrl: string;
  }[];
  readonly scheduled: { readonly id: string; readonly subscriptionId: string; readonly dueDate: LocalDate }[];
  readonly keys: { readonly accountId: string; readonly validationId: string; readonly address: string }[];
  /** Money that no charge expected, and its returns. */
  readonly credits: { readonly id: string; readonly accountId: string; readonly amount: string }[];
  readonly returns: string[];
  readonly disputes: { readonly id: string }[];
  readonly deliveries: string[];
  readonly resends: string[];
  readonly cursors: {
    readonly operationId: string;
    readonly query: Readonly<Record<string, string>>;
    readonly cursor: string;
  }[];
  readonly endToEndIds: string[];
  /** How far the company's own clock is ahead of the machine's. */
  clockMs: number;
  count: number;
};

export function newMemory(): Remembered {
  return {
    ...{
      payIns: [],
      ownCharges: [],
      refunds: [],
      payouts: [],
      subscriptions: [],
      scheduled: [],
      keys: [],
      credits: [],
      returns: [],
      disputes: [],
      deliveries: [],
      resends: [],
      cursors: [],
    },
    ...{ endToEndIds: [], clockMs: 0, count: 0 },
  };
}

const most = 120;

/** Keeps the newest of them. */
export function keep<T>(list: T[], one: T): void {
  list.push(one);
  if (list.length > most) list.shift();
}
