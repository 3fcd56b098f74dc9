import { setTimeout as sleep } from 'node:timers/promises';
import { GetPayIn } from '#functions/pay-ins/get/contract.ts';
import { GetPayout } from '#functions/payouts/get/contract.ts';
import { GetSubscription } from '#functions/subscriptions/get/contract.ts';
import type { Partner } from '@banking-order/partner-tools';
import type { OperatorDependencies } from '#infra/operator/target.ts';
import type { Draws } from '#test/model/bank-books.ts';
import type { Violation, Journal } from '../journal.ts';
import type { Knowledge } from '../knowledge.ts';
import type { Receivers } from '../receivers.ts';
import { findCertificateViolations } from './certificates.ts';
import { findDeliveryViolations } from './deliveries.ts';
import { checkStatement } from './money.ts';
import { findNotificationViolations } from './notifications.ts';
import { awaitQuiet, awaitReasons } from './quiet.ts';
import type { Resource } from './resources.ts';
import { readCharges, readListed, readRefunds } from './resources.ts';
import { findStatusViolations } from './statuses.ts';
import { compareBooks, deliveriesIn, readItems, readLetters } from './table.ts';

/** What the checks look at. */
export type Checked = {
  readonly partners: () => readonly Partner[];
  readonly operator: () => OperatorDependencies;
  readonly folder: string;
  readonly known: Knowledge;
  readonly receivers: Receivers;
  readonly journal: Journal;
  /** The statuses of each resource as they were read last. */
  readonly seen: Map<string, readonly string[]>;
};

/** After each kill the charges and refunds of so many cycles are checked; in a full check all of them. */
const recentCycles = 3;
const otherCompanySamples = 5;

/** After a kill: acknowledged resources exist, follow the rules, belong to one company, and their money is correct. */
export async function checkCycle(checked: Checked, draws: Draws): Promise<void> {
  const { journal, known, partners } = checked;
  const since = journal.cycle() - recentCycles;
  for (const partner of partners()) {
    const resources = await readResources(checked, partner, since);
    journal.report(checkResources(checked, partner, resources));
    for (const { id } of partner.accounts) journal.report(await checkStatement(partner, id));
    const otherCompanyRecords = [...known.made].filter(([, { companyId }]) => companyId !== partner.companyId);
    for (let count = 0; count < otherCompanySamples && otherCompanyRecords.length > 0; count += 1) {
      const [id, { operationId }] = draws.one(otherCompanyRecords);
      const { status, text } = await partner.answer(contracts[operationId] ?? GetPayIn, { params: { id } });
      if (status !== 404)
        journal.finding('no company finds resources of another company', `${id}: ${status} ${text}`, [id]);
    }
  }
}
const contracts: Readonly<Record<string, typeof GetPayIn | typeof GetPayout | typeof GetSubscription>> = {
  createPayIn: GetPayIn,
  createPayout: GetPayout,
  createSubscription: GetSubscription,
};

/**
 * Without open requests: waits until all work is done, then checks everything. A worker may change data during a check,
 * so only violations that two checks find count.
 * @param isEnd every request got a response: no payout may exist that is in no response
 */
export async function checkQuiet(checked: Checked, isEnd: boolean): Promise<void> {
  const { partners, operator, receivers, journal } = checked;
  for (const partner of partners()) journal.report(await awaitReasons(partner, operator()));
  receivers.recover();
  for (const partner of partners())
    journal.report(await awaitQuiet(partner, operator(), receivers.steadyOf(partner.companyId)));
  for (const partner of partners()) {
    const first = await lookAtAll(checked, partner, isEnd);
    if (first.length === 0) continue;
    await sleep(secondLookMs);
    journal.report(await lookAtAll(checked, partner, isEnd));
  }
  receivers.misbehave();
}
const secondLookMs = 10_000;

async function lookAtAll(checked: Checked, partner: Partner, isEnd: boolean): Promise<readonly Violation[]> {
  const { known, receivers, operator, folder } = checked;
  const { companyId } = partner;
  const resources = await readResources(checked, partner, 0);
  const items = await readItems(operator(), companyId);
  const { deliveries, bodies } = deliveriesIn(items);
  const notifications = deliveries
    .filter(({ resendOf, resource }) => resendOf === undefined && resource.type !== 'WEBHOOK_TEST')
    .map(({ id, event, resource }) => ({ id, event, resourceId: resource.id }));
  const own = new Set(deliveries.map(({ id }) => id));
  const letters = readLetters(folder).filter((id) => own.has(id));
  const secrets = [partner.webhookSecret, ...known.secretsOf(companyId)];
  return [
    ...checkResources(checked, partner, resources),
    ...(isEnd ? untold(checked, resources) : []),
    ...findNotificationViolations(resources, notifications),
    ...findDeliveryViolations({ deliveries, bodies, secrets, letters, calls: receivers.callsOf(companyId) }),
    ...(await compareBooks(items, companyId)),
    ...(await findCertificateViolations(partner, resources)),
  ];
}

/** What a company's listings hold, with the charges and refunds that were asked for since this cycle. */
async function readResources({ known }: Checked, partner: Partner, since: number): Promise<readonly Resource[]> {
  const listed = await readListed(partner);
  const resources = [...listed];
  for (const { kind, id, statuses } of listed) {
    const isCharged = kind === 'SUBSCRIPTION' && (known.charged.get(id) ?? -1) >= since;
    if (isCharged) resources.push(...(await readCharges(partner, id)));
    const isRefunded = kind === 'PAY_IN' && (known.refunded.get(id) ?? -1) >= since;
    if (isRefunded || (since === 0 && statuses.includes('REFUNDED')))
      resources.push(...(await readRefunds(partner, id)));
  }
  return resources;
}

function checkResources(
  { seen, known }: Checked,
  { companyId }: Partner,
  resources: readonly Resource[],
): readonly Violation[] {
  const faults: Violation[] = [];
  for (const resource of resources) {
    faults.push(...findStatusViolations(resource, seen.get(resource.id)));
    seen.set(resource.id, resource.statuses);
  }
  const listed = new Set(resources.map(({ id }) => id));
  for (const [id, creation] of known.made)
    if (creation.companyId === companyId && !listed.has(id))
      faults.push({ invariant: 'acknowledged resources exist', text: `${creation.operationId} ${id}`, ids: [id] });
  const named = Map.groupBy(
    resources.filter(({ externalId }) => externalId !== undefined),
    ({ kind, externalId = '' }) => `${kind} ${externalId}`,
  );
  for (const [name, all] of named) {
    const ids = all.map(({ id }) => id);
    if (ids.length > 1)
      faults.push({ invariant: 'an external id belongs to one resource', text: `${name}: ${ids.join(' ')}`, ids });
  }
  return faults;
}

/** A payout that is in no response was created twice, or without a request. */
function untold({ known }: Checked, resources: readonly Resource[]): readonly Violation[] {
  return resources
    .filter(({ kind, id }) => kind === 'PAYOUT' && !known.made.has(id))
    .map(({ id }) => ({ invariant: 'one payout for each key', text: `no response contained ${id}`, ids: [id] }));
}
