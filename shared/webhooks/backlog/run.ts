import type { Instant } from '#shared/core/brasilia-time.ts';
import type { BacklogName, CircuitName } from '#shared/platform/outbox/delivery.ts';
import { typeBacklog, webhookTypes } from '#shared/platform/outbox/delivery.ts';
import type { Settings } from '#shared/platform/settings.ts';
import type { CallDeps } from '../dispatch/call.ts';
import type { DrainReport } from '../dispatch/report.ts';
import type { Circuit } from '../health/circuit.ts';
import { isBusy } from '../health/circuit.ts';
import type { CompanyHealth } from '../health/health.ts';
import { addressCircuit, circuitsOf, originCircuit } from '../health/health.ts';
import type { WebhookSettings } from '../settings.ts';
import { addressOf } from '../settings.ts';
import type { Gate } from './capacity.ts';
import { capacityOf, isAnswering, newGate, reserveOf } from './capacity.ts';
import type { Reader } from './reader.ts';

export type DrainDeps = CallDeps & {
  /** Concurrent calls of a drain: to one endpoint, and of one company. */
  readonly limits: Settings['deliveries']['callsAtOnce'];
  /** Milliseconds left of the run. */
  readonly remainingMs: () => number;
  readonly onDrain: (report: DrainReport) => void;
};

/** The state of one drain: it is lost with its worker, and another drain follows after the lease. */
export type DrainRun = {
  readonly leaseId: string;
  health: CompanyHealth;
  settings: WebhookSettings;
  /** When health and settings were read. */
  readAt: Instant;
  readonly gates: Map<CircuitName, Gate>;
  readonly readers: Map<BacklogName, Reader>;
  /** Readers of the backlogs that are searched for deliveries whose address has changed. */
  readonly searches: Map<BacklogName, Reader>;
  /** Deliveries that left since the last report. */
  drained: number;
  /** Subjects of the open calls: the notifications of one order keep their order. */
  readonly subjects: Set<string>;
  readonly calls: Set<Promise<void>>;
  /** When results of calls were last written to the health, and the results since then. */
  shownAt?: Instant;
  readonly shown: ((health: CompanyHealth, now: Instant) => CompanyHealth)[];
};

export function gateOf(run: DrainRun, name: CircuitName, circuit: Circuit | undefined): Gate {
  const gate = run.gates.get(name) ?? newGate(circuit);
  run.gates.set(name, gate);
  return gate;
}

/** The two gates of an address, its own and that of its origin, with their circuits. */
export function gatesOf(run: DrainRun, endpoint: string, circuits: readonly Circuit[]) {
  const gateFor = (name: CircuitName) => {
    const circuit = circuits.find((candidate) => candidate.name === name);
    return { gate: gateOf(run, name, circuit), circuit };
  };
  return { address: gateFor(addressCircuit(endpoint)), origin: gateFor(originCircuit(endpoint)) };
}

/** Calls that may begin to an address: as far as its own window goes, and as far as that of its origin goes. */
export function roomAt(run: DrainRun, endpoint: string, circuits: readonly Circuit[], now: Instant) {
  const { address, origin } = gatesOf(run, endpoint, circuits);
  const mayHang = address.circuit !== undefined && isBusy(address.circuit, now) && !isAnswering(address.gate, now);
  return {
    address: capacityOf(address.gate, address.circuit, now),
    origin: capacityOf(origin.gate, origin.circuit, now) - (mayHang ? reserveOf(origin.gate, now) : 0),
  };
}

/** Calls that may begin for a backlog, as far as is known before its deliveries are read. */
export function roomFor(run: DrainRun, name: BacklogName, { limits, now }: DrainDeps): number {
  const left = Math.max(0, limits.perCompany - run.calls.size);
  const circuits = circuitsOfBacklog(run, name);
  // Held deliveries are marked as `HELD`, without a call.
  if (run.settings.heldSince !== undefined || circuits.some(({ state }) => state === 'HELD')) return left;
  const at = now();
  return Math.min(left, ...circuits.map((circuit) => capacityOf(gateOf(run, circuit.name, circuit), circuit, at)));
}

/** The circuits that stop a whole backlog: those of its address, or of the current address of its type. */
export function circuitsOfBacklog({ health, settings }: DrainRun, name: BacklogName): readonly Circuit[] {
  const type = webhookTypes.find((known) => typeBacklog(known) === name);
  const own = health.circuits.find((circuit) => circuit.name === name)?.url;
  const address = type === undefined ? own : addressOf({ type }, settings);
  return address === undefined ? [] : circuitsOf(health, address);
}
