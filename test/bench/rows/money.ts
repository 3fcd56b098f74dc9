import { measureCapacity } from '#test/table/measured-capacity.ts';
import type { Capacity } from '#test/table/measured-capacity.ts';
import { startEngine } from '#test/support/engine.ts';
import type { BenchRun } from '../bench-run.ts';
import type { Figure } from '../figures.ts';
import { figureOf, median, tidy } from '../figures.ts';
import type { Measured } from '../invocations.ts';
import { measureInvocations } from '../invocations.ts';
import type { InvokedName } from '../journey-events.ts';
import type { Step } from '../prices.ts';
import { assumed, costOfAMillion } from '../prices.ts';

/** A step of a journey: the function that runs, and the operation of docs/capacity.md that it is. */
type Part = {
  readonly runs: InvokedName;
  readonly operation?: string;
  /** It is a request of the partner; everything else comes from the bank, the stream or the queue. */
  readonly isRequest?: true;
  /** A part of that operation, where a run does several of them. */
  readonly share?: number;
};

const asked = (runs: InvokedName, operation: string): Part => ({ runs, operation, isRequest: true });
/** The bank's callback; its adapter's function is taken to cost what the simulation tool costs. */
const told = (runs: InvokedName, operation: string): Part => ({ runs, operation });
const notified: readonly Part[] = [
  { runs: 'workers-relay-deliveries' },
  { runs: 'workers-deliver-notification', operation: 'One attempt of a delivery' },
];

/** What partners do, from the request to the last notification that was delivered. */
const journeys: Readonly<Record<string, readonly Part[]>> = {
  'Payout, paid': [
    asked('payouts-create', 'Create payout'),
    told('order-tools-force-order-status', 'Force payout to PAID'),
    ...notified,
  ],
  'Pay-in, paid': [
    asked('pay-ins-create', 'Create pay-in'),
    told('order-tools-force-order-status', 'Force pay-in to PAID'),
    ...notified,
  ],
  'Subscription of journey 2, accepted': [
    asked('subscriptions-create', 'Create subscription, journey 2'),
    told('order-tools-force-subscription-status', 'Force subscription status'),
    ...notified,
  ],
  'Subscription of journey 3, accepted and its first charge paid': [
    asked('subscriptions-create', 'Create subscription, journey 3'),
    told('order-tools-force-subscription-status', 'Force subscription status'),
    ...notified,
    told('order-tools-force-order-status', 'Force pay-in to PAID'),
    ...notified,
  ],
  'Scheduled payment, accepted and completed': [
    asked('scheduled-payments-create', 'Schedule a payment'),
    {
      runs: 'order-tools-force-scheduled-payment-status',
      operation: 'Run that confirms 32 commands with the bank',
      share: 1 / 32,
    },
    told('order-tools-force-scheduled-payment-status', 'Force scheduled payment to ACCEPTED'),
    ...notified,
    told('order-tools-force-scheduled-payment-status', 'Force scheduled payment to COMPLETED'),
    ...notified,
    ...notified,
  ],
  'PIX key, confirmed (its message apart)': [
    asked('pay-ins-create', 'Create PIX key'),
    told('workers-relay-deliveries', 'Send its code'),
    asked('pay-ins-create', 'Confirm PIX key'),
  ],
};

/** Row 4: units of a journey, and what a million of it cost. */
export async function measureMoney(run: BenchRun): Promise<readonly Figure[]> {
  const engine = await startEngine('capacity');
  run.atEnd(engine.stop);
  run.tell('units');
  const capacity = new Map((await measureCapacity(engine)).map((one) => [one.name, one]));
  const measured = await measureInvocations(run);
  return Object.entries(journeys).flatMap(([name, parts], place) => {
    const steps = parts.map((part) => stepOf(part, capacity, measured));
    const isFirst = place === 0;
    return [unitFigure(name, steps, isFirst), moneyFigure(name, steps, isFirst)];
  });
}

function stepOf(
  { runs, operation, isRequest, share = 1 }: Part,
  capacity: ReadonlyMap<string, Capacity>,
  measured: Readonly<Record<InvokedName, Measured>>,
): Step {
  const consumed = operation === undefined ? nothing : capacity.get(operation);
  if (consumed === undefined) throw new Error(`docs/capacity.md has no operation "${String(operation)}".`);
  const { memoryMb, invocations, logBytes } = measured[runs];
  const isNotifier = runs === 'workers-deliver-notification';
  const isRelay = runs === 'workers-relay-deliveries' && operation === undefined;
  const waitingMs =
    (consumed.reads + consumed.writes) * assumed.databaseMs +
    (isRelay ? assumed.queueMs : 0) +
    (isNotifier ? assumed.partnerMs : 0);
  // The first invocations have code to compile.
  const computing = invocations.slice(Math.floor(invocations.length / 2)).map(({ cpuMs }) => cpuMs);
  return {
    isRequest: isRequest === true,
    memoryMb,
    computingMs: median(computing) * share,
    waitingMs: waitingMs * share,
    readUnits: consumed.readUnits * share,
    writeUnits: consumed.writeUnits * share,
    // Sent by the relay, then received and deleted for the notifier.
    queueRequests: isRelay ? 1 : isNotifier ? 2 : 0,
    logBytes: logBytes / invocations.length,
    sends: isRequest === true || isNotifier,
  };
}

const nothing = { reads: 0, readUnits: 0, writes: 0, writeUnits: 0 };

function unitFigure(name: string, steps: readonly Step[], isAimedAt: boolean): Figure {
  const writes = sum(steps.map(({ writeUnits }) => writeUnits));
  return figureOf([writes], {
    what: name,
    unit: 'write units',
    beside: `${tidy(sum(steps.map(({ readUnits }) => readUnits)))} read units`,
    ...(isAimedAt && { target: { of: 'median', atMost: 20 } }),
  });
}

function moneyFigure(name: string, steps: readonly Step[], isAimedAt: boolean): Figure {
  const costs = steps.map(costOfAMillion);
  const kinds = Object.keys(costs[0] ?? {}) as (keyof ReturnType<typeof costOfAMillion>)[];
  const parts = kinds.map((kind) => ({ kind, dollars: sum(costs.map((cost) => cost[kind])) }));
  return figureOf([sum(parts.map(({ dollars }) => dollars))], {
    what: name,
    unit: 'USD a million',
    beside: parts.map(({ kind, dollars }) => `${kind} ${dollars.toFixed(2)}`).join(', '),
    ...(isAimedAt && { target: { of: 'median', atMost: 12 } }),
  });
}

function sum(values: readonly number[]): number {
  return values.reduce((total, one) => total + one, 0);
}
